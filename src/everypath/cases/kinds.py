"""The kinds of cases that there are: everything that handles cases in general takes any of them."""

from __future__ import annotations

from typing import TypeGuard

from everypath.cases.actors import ActorCase, ActorInputs, ActorSuite
from everypath.cases.model import CallCase, CallSuite
from everypath.cases.races import RaceCase, RaceSuite, ThreadTest
from everypath.records import dataclass

AnyCase = CallCase | ActorCase | RaceCase
AnySuite = CallSuite | ActorSuite | RaceSuite


@dataclass(frozen=True, slots=True)
class Kind:
    """What a suite can be about."""

    name: str
    """as files call it"""
    case: type[AnyCase]
    suite: type[AnySuite]
    """the types of such cases and suites"""
    counts: tuple[str, ...]
    """the fields of `Stats` that only have a meaning here"""


CALLS = Kind("calls", CallCase, CallSuite, ("left_out",))
ACTORS = Kind("actors", ActorCase, ActorSuite, ("executions", "blocked", "probes", "complete"))
THREADS = Kind("threads", RaceCase, RaceSuite, ())
KINDS = {kind.name: kind for kind in (CALLS, ACTORS, THREADS)}


def is_actor_case(case: AnyCase) -> TypeGuard[ActorCase]:
    """Whether a case is about an actor program."""
    return isinstance(case.inputs, ActorInputs)


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
    inputs = suite.cases[0].inputs if suite.cases else None
    return ACTORS if isinstance(inputs, ActorInputs) else THREADS if isinstance(inputs, ThreadTest) else CALLS
