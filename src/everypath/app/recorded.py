"""The options that a stored suite was made with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from everypath.cases.kinds import AnySuite, is_call_suite
from everypath.errors import BadInput, Span
from everypath.languages.base import Language, Loaded
from everypath.options import ActorOptions, FenceOptions, Limits, Options, SolverOptions


def load_again(suite: AnySuite, language: Language, options: Options) -> tuple[Loaded, str]:
    """The program that a suite is about, and the target that leads to it.

    Where one place holds many packages, a target without the package is completed by what its cases say.
    """
    load, target = language.loader(options), suite.target
    if is_call_suite(suite) and suite.cases and suite.cases[0].entry.kind == "script":
        # The module itself was run, which is no entry of its own.
        target = target.rpartition("::")[0]
    try:
        loaded = load(target)
    except BadInput:
        target = in_package(suite, target)
        loaded = load(target)
    if options.summary:
        # Few programs have parts whose source is not there.
        from everypath.generate.summarised import install

        install(loaded, options)
    return loaded, target


def in_package(suite: AnySuite, target: str) -> str:
    """A target that leads nowhere, with the package that the cases of its suite tell."""
    place, _, member = target.partition("::")
    package = suite.cases[0].entry.module.rpartition(".")[0] if suite.cases else ""
    return target if not package or member.startswith(f"{package}.") else f"{place}::{package}.{member}"


def whole_target(suite: AnySuite, language: Language) -> str:
    """The target of a suite as commands take it."""
    for target in (suite.target, in_package(suite, suite.target)):
        try:
            language.expand([target])
        except BadInput:
            continue
        return target
    return suite.target


def recorded_options(suite: AnySuite, place: str) -> Options:
    """The options, as far as they say how paths are followed and cases are run; BadInput where they are damaged."""
    try:
        return _options_of(suite)
    except (KeyError, TypeError) as error:
        raise BadInput(f"the stored options are damaged ({error}); generate it again", Span(place)) from error


def _options_of(suite: AnySuite) -> Options:
    recorded: dict[str, dict[str, object]] = suite.options  # type: ignore[assignment]
    solver = dict(recorded["solver"])
    for key in ("layers", "int_range"):
        solver[key] = tuple(solver[key]) if solver[key] is not None else None  # type: ignore[arg-type]
    actors = dict(recorded["actors"])
    actors["assumed"] = tuple(cast("Iterable[str]", actors["assumed"]))
    actors["policies"] = tuple((str(cls), str(policy)) for cls, policy in cast("Iterable[Any]", actors["policies"]))
    return Options(
        limits=Limits(**recorded["limits"]),  # type: ignore[arg-type]
        solver=SolverOptions(**solver),  # type: ignore[arg-type]
        fence=FenceOptions(**recorded["fence"]),  # type: ignore[arg-type]
        actors=ActorOptions(**actors),  # type: ignore[arg-type]
        heap=str(recorded["heap"]),
        assume=tuple(recorded.get("assume", ())),
        types=tuple(recorded["types"]),
        requires=tuple(recorded.get("requires", ())),
        summary=tuple(recorded.get("summary", ())),
        asserts=str(recorded.get("asserts", "check")),
        classpath=tuple(recorded.get("classpath", ())),
        sources=tuple(recorded.get("sources", ())),
        overflow=bool(recorded.get("overflow", False)),
    )
