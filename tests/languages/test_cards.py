"""Cards agree with the library: the names exist, samples can be made and written, models have the fields."""

from __future__ import annotations

import builtins
from importlib import import_module

import pytest

from everypath.ir.types import Scalar
from everypath.languages.python.cards.card import CollectionCard, HostCard, ModelCard
from everypath.languages.python.cards.index import ALIASES, HOST, MODELLED, SAMPLED
from everypath.languages.python.frontend.finder import Replacements
from everypath.languages.python.natives.readable_texts import readable
from everypath.languages.python.parameters.samples import SAMPLES, TEXTS
from everypath.languages.python.semantics.host_objects import card_of, is_foreign
from everypath.languages.python.semantics.inputs import samples

CARDS: list[HostCard | ModelCard] = [*HOST.values(), *MODELLED.values()]


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.name)
def test_the_class_exists(card: HostCard | ModelCard) -> None:
    # Locks are made by functions.
    assert callable(card.real)


def test_a_card_has_inputs_where_the_table_of_samples_has_some() -> None:
    assert set(SAMPLED) == {name for name, samples in SAMPLES.items() if samples.telling}


READING = [(card, method) for card in HOST.values() for method in card.read]


@pytest.mark.parametrize(("card", "method"), READING, ids=lambda value: getattr(value, "name", value))
def test_what_is_written_for_a_function_that_reads_texts_is_read_back(card: HostCard, method: str) -> None:
    name = f"{card.name}.{method}" if method else card.name
    more = ("%Y-%m-%d %H:%M:%S",) if method == "strptime" else ()
    read = getattr(card.real, method) if method else card.real
    texts = readable(name, more)
    # Texts are to make comparisons turn out differently.
    assert len(set(texts)) == len(texts) == 2
    assert tuple(read(text, *more) for text in texts) == samples(Scalar(card.name))[:2]


@pytest.mark.parametrize("name", TEXTS)
def test_functions_accept_the_texts_that_are_offered_to_them(name: str) -> None:
    home, _, function = name.rpartition(".")
    owner = getattr(builtins, home, None) or import_module(home)
    found = [getattr(owner, function)(text) for text in TEXTS[name]]
    assert found[0] != found[1] and readable(name, ()) == TEXTS[name]


@pytest.mark.parametrize("card", SAMPLED.values(), ids=lambda card: card.name)
def test_samples_are_different_objects_that_a_test_can_write(card: HostCard) -> None:
    made = samples(Scalar(card.name))
    assert len(made) == len(card.samples) == len(set(made)) > 1
    for value in made:
        assert isinstance(value, card.real) and is_foreign(value)
        shown = card_of(type(value))
        assert shown is not None
        written = shown.written(value)
        assert written is not None
        names = {written.module: import_module(written.module)} if written.module else vars(builtins)
        assert eval(written.expression, dict(names)) == value


@pytest.mark.parametrize("card", HOST.values(), ids=lambda card: card.name)
def test_the_attributes_that_a_card_names_exist(card: HostCard) -> None:
    assert [name for name in card.constants if not hasattr(card.real, name)] == []


@pytest.mark.parametrize("card", MODELLED.values(), ids=lambda card: card.name)
def test_a_model_takes_the_place_of_the_class(card: ModelCard) -> None:
    module = Replacements().defines(card.module, card.short)
    assert module is not None
    if isinstance(card, CollectionCard):
        namespace: dict[str, type] = {}
        exec(compile(module.tree, module.file, "exec"), namespace)
        assert hasattr(namespace[card.short](), card.content)


def test_aliases_are_no_cards_themselves() -> None:
    assert not ALIASES.keys() & {card.name for card in CARDS}
