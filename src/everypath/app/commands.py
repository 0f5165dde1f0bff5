"""The commands: what each takes from the command line, and the work that follows from it."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from everypath.app.guard import guard
from everypath.app.origins import asked_for, said, says_it_is_ours, targets_of
from everypath.app.settings import (
    ACTOR_SWITCHES,
    APET,
    EXTEND,
    GENERATE,
    NEXT,
    RACE,
    REACH,
    REPLAY,
    RUN,
    SHOW,
    VIEW,
    Setting,
)
from everypath.cases import store
from everypath.cases.origin import Origin
from everypath.errors import BadInput
from everypath.languages.base import Language
from everypath.languages.every import LANGUAGES, language_of, one_language
from everypath.options import (
    ACTORS,
    MARKS,
    SWITCHES,
    ActorOptions,
    FenceOptions,
    Limits,
    Options,
    RaceOptions,
    SolverOptions,
)
from everypath.records import dataclass, replace

Work = Callable[[], int]
"""What a command does; gives the exit code."""


class Misuse(Exception):
    """Options that do not go together; the message says which."""


@dataclass(frozen=True, slots=True)
class Given:
    """What the command line and the configuration say to a command."""

    words: tuple[str, ...]
    """everything that is no option"""
    values: Mapping[str, Any]
    """of every setting, by its name"""
    explicit: frozenset[str]
    """the settings that the command line names"""


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the program."""

    name: str
    metavar: str
    """what it works on; dots at the end say that it takes several, brackets that it may be left out"""
    help: str
    settings: tuple[Setting, ...]
    prepare: Callable[[Given], Work]
    """checks what is given, Misuse if it cannot be; nothing happens before the work is called"""


def _generate(given: Given) -> Work:
    values = given.values
    if values["check"] and values["diff"] is not None:
        raise Misuse("--check is about whole files and --diff about some functions; leave one of them out")
    if values["check"] and values["report"] is not None:
        raise Misuse("--check writes nothing; leave --report out")
    runs = [_one_generation(each) for each in guard(lambda: _with_origins(given))]

    def work() -> int:
        collect_rarely()
        return max(run() for run in runs)

    return work


def _one_generation(given: Given) -> Work:
    language = guard(lambda: one_language(given.words))
    options = options_of(given, language)

    def work() -> int:
        from everypath.app.generate import generate_command

        return generate_command(list(given.words), options, language, given.values["report"])

    return work


def options_of(given: Given, language: Language) -> Options:
    """What is asked for, as options of a run; Misuse where that does not go together."""
    return _options(_suited(language, given), language)


def _make_options(
    targets: Sequence[str], values: Mapping[str, Any], explicit: frozenset[str]
) -> tuple[Options, Language]:
    language = one_language(targets)
    try:
        return options_of(Given(tuple(targets), values, explicit), language), language
    except Misuse as misuse:
        raise BadInput(str(misuse)) from None


def _extend(given: Given) -> Work:
    def work() -> int:
        from everypath.app.extend import extend_command

        collect_rarely()
        return extend_command(given.words[0], _changes(given), _make_options, given.values["report"])

    return work


def _next(given: Given) -> Work:
    def work() -> int:
        from everypath.app.extend import next_command

        collect_rarely()
        return next_command(given.words[0], _changes(given), _make_options)

    return work


def _changes(given: Given) -> dict[str, Any]:
    """What is to be different from now on; where suites are stored may also stand in a configuration file."""
    changes = {name: given.values[name] for name in given.explicit if name != "report"}
    return changes if given.values["store"] is None else {**changes, "store": given.values["store"]}


def _with_origins(given: Given) -> list[Given]:
    """What is asked for, once for each generated file among the targets: that is made again, as it was made before."""
    origins = {word: origin for word in filter(says_it_is_ours, given.words) if (origin := _origin(word)) is not None}
    others = tuple(word for word in given.words if word not in origins)
    asked = [replace(given, words=others)] if others else []
    for file, origin in origins.items():
        values = asked_for(file, origin, given.values, given.explicit)
        asked.append(replace(given, words=targets_of(file, origin), values=values))
    return asked


def _origin(word: str) -> Origin | None:
    # Few targets are generated files.
    from everypath.app.heads import origin_in

    return origin_in(word)


def collect_rarely() -> None:
    """From now on look for garbage now and then, but not among what was loaded: hardly anything is in cycles."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def _suited(language: Language, given: Given) -> dict[str, Any]:
    """The settings as a language takes them.

    An option of another language is an error on the command line; in a configuration file it is for other targets.
    """
    suited = dict(given.values)
    if suited["format"] not in language.formats:
        if "format" in given.explicit:
            other = next(each for each in LANGUAGES if suited["format"] in each.formats)
            said = f"--format {suited['format']} is for {other.code}; for {language.code} it is"
            raise Misuse(f"{said} {' or '.join(language.formats)}")
        suited["format"] = language.formats[0]
    if suited["format"] == "hypothesis" and suited["mark_findings"] != MARKS[0]:
        raise Misuse("--mark-findings is for --format pytest: what Hypothesis draws may lead to a finding at any time")
    foreign = {name: other for other in LANGUAGES for name in other.settings - language.settings}
    for setting in GENERATE:
        if setting.name in foreign:
            if setting.name in given.explicit:
                other = foreign[setting.name]
                raise Misuse(f"{setting.option} is for {other.code}, but {given.words[0]} is {language.code}")
            suited[setting.name] = setting.default
    if suited["apet"]:
        suited |= {name: value for name, value in APET.items() if name not in given.explicit}
    return suited


def _options(values: dict[str, Any], language: Language) -> Options:
    return Options(
        limits=Limits(values["loops"], values["depth"], values["seconds"], values["paths"], values["lengths"]),
        solver=SolverOptions(timeout_ms=values["solver_timeout"], int_range=values["int_range"]),
        fence=FenceOptions(values["allow_io"], values["case_seconds"], values["memory"]),
        actors=_actor_options(values) if "actors" in language.settings else ActorOptions(),
        validate=not values["no_validate"],
        compositional="all" if values["compositional"] else "",
        said=said(values),
        jobs=values["jobs"] or _usual_jobs(),
        store=values["store"] or store.FOLDER,
        **{name: values[name] for name in _DIRECT},
    )


def _usual_jobs() -> int:
    """How many processes share the work if nobody says."""
    return min(os.cpu_count() or 1, 4)


_DIRECT = (
    "heap assume requires asserts strategy seed types format output select"
    " summary criteria tests file_tests paths_per_test exclude total_time check diff"
    " also mark_findings reachable invariant unreached predicted_only private overflow classpath sources junit"
).split()
"""The settings of `generate` that are options by the same name."""


def _actor_options(values: dict[str, Any]) -> ActorOptions:
    """What is said about actors; a switch that nobody set has its default."""
    # Actors may send each other messages for ever, so that there are bounds unless counts are aPET's.
    assumed = () if values["apet"] else tuple(name for name in ("switches", "actors") if values[name] is None)
    return ActorOptions(
        switches=SWITCHES if "switches" in assumed else values["switches"],
        actors=ACTORS if "actors" in assumed else values["actors"],
        assumed=assumed,
        queue=values["queue"],
        order=values["order"] or ActorOptions().order,
        policies=values["policy"],
        **{each.name: values[each.name] for each in ACTOR_SWITCHES if values[each.name] is not None},
    )


def _race(given: Given) -> Work:
    values, defaults = given.values, RaceOptions()
    if values["exhaustive"] and values["random"]:
        raise Misuse("--exhaustive and --random exclude each other")
    options = RaceOptions(
        time=values["seconds"],
        mode="exhaustive" if values["exhaustive"] else "random" if values["random"] else defaults.mode,
        confirmations=0 if values["no_confirm"] else defaults.confirmations,
        **{name: values[name] for name in ("setup", "args", "methods", "seed", "format", "output")},
    )

    def work() -> int:
        from everypath.app.race import race_command

        return race_command(list(given.words), options, values["report"])

    return work


def _reach(given: Given) -> Work:
    [point], values = given.words, given.values
    file, colon, line = point.rpartition(":")
    if not (file and colon and line.isdecimal() and int(line)):
        raise Misuse(f"{point!r} is not FILE:LINE, such as shop/cart.py:12")
    options = Options(
        limits=Limits(loops=values["loops"], time=values["seconds"], lengths=values["lengths"]),
        solver=SolverOptions(timeout_ms=values["solver_timeout"], int_range=values["int_range"]),
        fence=FenceOptions(memory_mb=values["memory"]),
        **{name: values[name] for name in ("heap", "assume", "requires", "asserts", "types", "total_time", "output")},
    )

    def work() -> int:
        from everypath.app.reach import reach_command

        collect_rarely()
        return reach_command(file, int(line), values["starts"], options)

    return work


def _replay(given: Given) -> Work:
    def work() -> int:
        from everypath.app.replay import replay_command
        from everypath.app.stored import folder_of

        values = given.values
        folder = folder_of(values["store"])
        return replay_command(
            given.words[0],
            values["steps"],
            values["allow_io"],
            report=values["report"],
            xml=values["junit_xml"],
            folder=folder,
        )

    return work


def _view(given: Given) -> Work:
    values = given.values
    if not given.words and values["report"] is not None:
        raise Misuse("--report is about a suite; name it, or a folder")
    if given.words and "port" in given.explicit:
        raise Misuse("--port is for the server, which shows all suites: leave the suite out")
    if values["port"] > 65_535:
        raise Misuse(f"--port {values['port']} is no port: the largest is 65535")

    def work() -> int:
        from everypath.app.stored import folder_of
        from everypath.app.view import serve_command, view_command

        folder = folder_of(values["store"])
        if not given.words:
            return serve_command(values["port"], not values["no_browser"], values["allow_io"], folder)
        return view_command(given.words[0], values["report"], not values["no_browser"], values["allow_io"], folder)

    return work


def _show(given: Given) -> Work:
    [target], values = given.words, given.values
    if values["ir"] + values["related"] + values["summary"] != 1:
        raise Misuse("say what to show: --ir, --related or --summary")
    if values["related"] and not language_of(target).concurrent:
        raise Misuse("--related is about a method of an ABS class: FILE.abs::Class.method")

    def work() -> int:
        from everypath.app.show import show_command

        options = Options(limits=Limits(loops=values["loops"]), heap=values["heap"], types=values["types"])
        return show_command(target, values["related"], options, values["summary"])

    return work


def _run(given: Given) -> Work:
    def work() -> int:
        from everypath.app.run import run_command

        values = given.values
        return run_command(given.words, values["seed"], values["policy"], values["steps"])

    return work


COMMANDS = (
    Command(
        "generate",
        "TARGET...",
        "Write tests for every path of TARGET: FILE_OR_MODULE[::Class[.method] | ::function].\n\n"
        "A folder or a package is all the modules in it; each gets a file of its own.\n"
        "For an ABS program, FILE.abs[::Class[.method] | ::main], also for every order of messages.",
        GENERATE,
        _generate,
    ),
    Command(
        "extend",
        "SUITE_OR_TEST_FILE",
        "Go on from where a suite stopped, with larger bounds: its tests stay as they are and others are added.",
        EXTEND,
        _extend,
    ),
    Command(
        "next",
        "SUITE_OR_TEST_FILE",
        "Add one more test to a suite: the next path from where it stopped.",
        NEXT,
        _next,
    ),
    Command(
        "race",
        "TARGET...",
        "Find thread-safety faults of a class: FILE_OR_MODULE[::Class]; no test is needed.",
        RACE,
        _race,
    ),
    Command(
        "reach",
        "FILE:LINE",
        "Print the shortest test that executes a line, from any public function of FILE, or say that none reaches it.",
        REACH,
        _reach,
    ),
    Command(
        "replay",
        "SUITE[::CASE]",
        "Follow the recorded paths of a stored suite again and run its tests again.",
        REPLAY,
        _replay,
    ),
    Command(
        "view",
        "[SUITE]",
        "Show a stored suite as a page: findings, cases, heaps, traces, trees, message charts, timelines.\n\n"
        "SUITE may also be a generated file, what it was generated from, or a folder. Without it, all suites of this\n"
        "folder are served on the loopback address, where pages can ask for more cases.",
        VIEW,
        _view,
    ),
    Command("show", "TARGET", "Print what Everypath makes of TARGET.", SHOW, _show),
    Command("run", "FILE.abs...", "Execute the main block of an ABS program, in one order of its messages.", RUN, _run),
)
"""Where two commands have a setting of the same name, the first decides what a configuration file may say."""
