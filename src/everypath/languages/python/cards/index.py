"""All cards, by what the stages ask for."""

from __future__ import annotations

from everypath.ir.types import Type
from everypath.languages.python.cards import (
    addresses,
    dates,
    deque,
    expressions,
    file_paths,
    immutable,
    locks,
    mappings,
    streams,
)
from everypath.languages.python.cards.card import CollectionCard, HostCard, ModelCard

_HOST: tuple[HostCard, ...] = (*dates.CARDS, *expressions.CARDS, *file_paths.CARDS, *immutable.CARDS, *addresses.CARDS)
"""In this order: the likelier an object is what a parameter without annotation gets, the earlier."""
_MODELLED: tuple[ModelCard, ...] = (*deque.CARDS, *mappings.CARDS, *streams.CARDS, *locks.CARDS)
_ALL: tuple[HostCard | ModelCard, ...] = (*_HOST, *_MODELLED)

HOST = {f"{card.module}.{card.short}": card for card in _HOST}
"""Classes whose objects stand for themselves, by module and name."""
SAMPLED = {card.name: card for card in _HOST if card.is_input}
"""Those among them of which there are inputs, by the name of their type."""
MODELLED = {card.name: card for card in _MODELLED}
"""Classes for whose objects those of a model stand, as far as tests can write them."""
COLLECTIONS = {card.name: card for card in _MODELLED if isinstance(card, CollectionCard)}
"""Those among them that hold other values."""
KINDS = {card.short: card for card in COLLECTIONS.values()}
"""The same by what a `SequenceState` or `MappingState` calls them."""
ALIASES: dict[str, Type] = {alias: card.type for card in _ALL for alias in card.aliases}
"""Classes that annotations name -> the type of the objects that stand for theirs."""
MODULES = frozenset(card.module for card in _ALL)
"""Where these classes come from."""
