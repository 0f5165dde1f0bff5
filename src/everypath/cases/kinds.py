"""The kinds of cases that there are: everything that handles cases in general takes any of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias, TypeGuard

from everypath.cases.model import CallCase, CallSuite
from everypath.records import dataclass

if TYPE_CHECKING:
    # A run has cases of one kind and need not load the others.
    from everypath.cases.actors import ActorCase, ActorSuite
    from everypath.cases.races import RaceCase, RaceSuite

AnyCase: TypeAlias = "CallCase | ActorCase | RaceCase"
AnySuite: TypeAlias = "CallSuite | ActorSuite | RaceSuite"


@dataclass(frozen=True, slots=True)
class Kind:
    """What a suite can be about."""

    name: str
    """as files call it"""
    types: Callable[[], tuple[type[AnyCase], type[AnySuite]]]
    """the classes of such cases and suites"""
    counts: tuple[str, ...] = ()
    """the fields of `Stats`, or counts of cases, that only have a meaning here"""


def _actor_types() -> tuple[type[AnyCase], type[AnySuite]]:
    from everypath.cases.actors import ActorCase, ActorSuite

    return ActorCase, ActorSuite


def _race_types() -> tuple[type[AnyCase], type[AnySuite]]:
    from everypath.cases.races import RaceCase, RaceSuite

    return RaceCase, RaceSuite


CALLS = Kind("calls", lambda: (CallCase, CallSuite), ("left_out", "observed", "traces"))
ACTORS = Kind("actors", _actor_types, ("executions", "blocked", "probes", "complete"))
THREADS = Kind("threads", _race_types)
KINDS = {kind.name: kind for kind in (CALLS, ACTORS, THREADS)}


def is_actor_case(case: AnyCase) -> TypeGuard[ActorCase]:
    """Whether a case is about an actor program."""
    return case.inputs.kind == ACTORS.name


def is_race_case(case: AnyCase) -> TypeGuard[RaceCase]:
    """Whether a case is about two threads."""
    return case.inputs.kind == THREADS.name


def is_actor_suite(suite: AnySuite) -> TypeGuard[ActorSuite]:
    """Whether the cases of a suite are about an actor program."""
    return kind_of(suite) is ACTORS


def is_call_suite(suite: AnySuite) -> TypeGuard[CallSuite]:
    """Whether the cases of a suite call one function."""
    return kind_of(suite) is CALLS


def is_race_suite(suite: AnySuite) -> TypeGuard[RaceSuite]:
    """Whether the cases of a suite are about two threads."""
    return kind_of(suite) is THREADS


def kind_of(suite: AnySuite) -> Kind:
    """What the cases of a suite are about; one without cases might be about anything."""
    return KINDS[suite.cases[0].inputs.kind] if suite.cases else CALLS
