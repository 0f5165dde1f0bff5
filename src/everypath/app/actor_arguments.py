"""The options of `generate` that are about actor programs, as click reads them, and the preset `--apet`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from everypath.options import ACTORS, ORDERS, POLICIES, SWITCHES, ActorOptions

_F = TypeVar("_F", bound=Callable[..., Any])

_APET_SWITCHES = {
    "every_order": "Every execution is a case, also one whose input and outcome are those of another.",
    "spare_actor": "`new` may go beyond --actors by one.",
    "input_errors": "Inputs may be null, or of a constructor that the program does not expect.  [default: yes]",
    "bound_concrete": "Loops and recursion over known data are bounded, too.",
    "bound_references": "Only references in bound fields keep an actor from being stable.",
    "oldest_first": "Where no actor is stable, only the oldest goes on: loses executions.",
    "static_independence": "Tasks are independent by the text of their methods, not by what they touched.",
}
"""Switches of their own that the preset sets, with what they do."""
_SWITCHES = {
    "poll": "A task whose `await` does not hold takes its turn, too, to look again; that counts as a switch.",
    **_APET_SWITCHES,
}
APET: dict[str, Any] = {
    **dict.fromkeys(_APET_SWITCHES, True),
    "input_errors": False,
    "heap": "noalias",
    "int_range": (-10, 10),
    "order": "independent",
}
"""How "Test Case Generation of Actor Systems" counts; what is given on the command line goes before it."""


def parse_policies(
    context: click.Context, parameter: click.Parameter, value: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    """`CLASS=fifo`, each as a pair."""
    pairs = []
    for text in value:
        name, equals, kind = (part.strip() for part in text.partition("="))
        if not (name and equals and kind in POLICIES):
            kinds = ", ".join(POLICIES)
            raise click.BadParameter(
                f"{text!r} is not CLASS=POLICY, where POLICY is one of {kinds}", context, parameter
            )
        pairs.append((name, kind))
    return tuple(pairs)


def actor_options(command: _F) -> _F:
    """Add the options to a command."""
    for name, words in reversed(_SWITCHES.items()):
        option = name.replace("_", "-")
        command = click.option(f"--{option}/--no-{option}", default=None, help=words)(command)
    for decorate in reversed(
        [
            click.option("--switches", type=click.IntRange(1), default=None,
                         help=f"Tasks taken from one actor's queue.  [default: {SWITCHES}; no bound with --apet]"),
            click.option("--actors", type=click.IntRange(1), default=None,
                         help="Actors created, or met, at one place of an ABS program.  "
                              f"[default: {ACTORS}; no bound with --apet]"),
            click.option("--queue", type=click.IntRange(0), default=ActorOptions().queue, show_default=True,
                         help="Other tasks in the queue of the actor under test at the start."),
            click.option("--order", type=click.Choice(ORDERS), default=None,
                         help="Which orders of messages are explored.  [default: optimal; independent with --apet]"),
            click.option("--policy", multiple=True, callback=parse_policies, metavar="CLASS=fifo",
                         help="How actors of a class choose among their tasks: any, fifo or lifo.  [default: any]"),
            click.option("--apet", is_flag=True,
                         help="Explore and count as aPET does: --heap noalias, --int-range -10:10, --no-input-errors "
                              "and the other switches from --every-order on."),
        ]
    ):  # fmt: skip
        command = decorate(command)
    return command


def with_preset(settings: dict[str, Any], context: click.Context) -> dict[str, Any]:
    """The settings with what `--apet` says wherever the command line says nothing."""
    if not settings["apet"]:
        return settings
    given = {name for name in APET if context.get_parameter_source(name) is ParameterSource.COMMANDLINE}
    return {**settings, **{name: value for name, value in APET.items() if name not in given}}


def actor_settings(settings: dict[str, Any]) -> ActorOptions:
    """The settings as options; a switch that nobody set has its default."""
    switches = {name: settings[name] for name in _SWITCHES if settings[name] is not None}
    return ActorOptions(
        switches=_bound(settings, "switches", SWITCHES),
        actors=_bound(settings, "actors", ACTORS),
        assumed=() if settings["apet"] else tuple(n for n in ("switches", "actors") if settings[n] is None),
        queue=settings["queue"],
        order=settings["order"] or ActorOptions().order,
        policies=tuple(settings["policy"]),
        **switches,
    )


def _bound(settings: dict[str, Any], name: str, default: int) -> int | None:
    """A bound as given; actors may send each other messages for ever, so that there is one unless counts are aPET's."""
    given: int | None = settings[name]
    return default if given is None and not settings["apet"] else given
