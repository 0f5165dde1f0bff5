"""The command `replay`: follows the recorded paths of a stored suite again and runs its tests again."""

from __future__ import annotations

from pathlib import Path

from everypath.app.exit_codes import DONE, FINDINGS
from everypath.cases import store
from everypath.cases.model import CallCase, CallSuite
from everypath.errors import BadInput, Internal, Span
from everypath.explore.outcomes import Finished, Uncaught
from everypath.generate.exploring import lines_of, replay_case, single_entry
from everypath.languages.python.frontend import load_target
from everypath.languages.python.runtime.cases import validate
from everypath.options import FenceOptions, Limits, Options, SolverOptions
from everypath.report.streams import complain, say


def replay_command(name: str, steps: bool) -> int:
    """Follow every recorded path again, symbolically and on the real interpreter."""
    path, case_id = _stored(name)
    if _is_of_actors(path):
        from everypath.app.actors import replay_actors

        return replay_actors(path, case_id, steps)
    suite_name = path.name
    suite = store.load(path)
    cases = [c for c in suite.cases if case_id in ("", c.id, c.name)]
    if not suite.cases:
        raise BadInput("the stored suite holds no cases; generate it again", Span(str(path)))
    if not cases:
        raise BadInput(f"{suite_name} has no case {case_id!r}; it has {', '.join(c.name for c in suite.cases)}")
    options = _recorded_options(suite, path)
    chosen = CallSuite(suite.target, suite.options, cases, suite.plans)
    try:
        source = load_target(suite.target, options.types)
        entry = single_entry(source, suite.target)
        verdicts = {case.id: v for case, v, _ in validate(chosen, root=source.root, options=options.fence)}
    except BadInput as error:
        complain(f"error: {error}")
        _say_changed(suite)
        return FINDINGS
    failures = 0
    for case in cases:
        problem = None
        try:
            state = replay_case(source, entry, options, case)
            problem = _difference(case, state.outcome)
            if steps:
                for file, line in lines_of(state):
                    say(f"    {file}:{line}")
        except (BadInput, Internal) as error:
            problem = error.message
        if problem is None and not verdicts[case.id].passed:
            problem = verdicts[case.id].text
        failures += problem is not None
        say(f"{'FAIL' if problem else 'ok  '} {case.name}{f': {problem}' if problem else ''}")
    say(f"{len(cases) - failures} of {len(cases)} cases replayed as recorded")
    if failures:
        _say_changed(suite)
    return FINDINGS if failures else DONE


def _is_of_actors(path: Path) -> bool:
    import json

    from everypath.cases.actor_json_reader import is_actor_suite
    from everypath.languages.abs.frontend.digits import any_digits

    try:
        with any_digits():
            return is_actor_suite(json.loads(path.read_bytes()))
    except (OSError, ValueError):
        return False


def _say_changed(suite: CallSuite) -> None:
    target = suite.target
    complain(f"{target} no longer does what was recorded: if that is intended, run `everypath generate {target}` again")


def _difference(case: CallCase, outcome: object) -> str | None:
    expected = type(case.expected.outcome).__name__
    actual = {Finished: "Returned", Uncaught: "Raised"}.get(type(outcome), type(outcome).__name__)
    return None if expected == actual else f"recorded {expected.lower()}, now {actual.lower()}"


def _stored(name: str) -> tuple[Path, str]:
    """The stored suite's file, and the case if the name goes on with `::CASE`; a case may be named by its id."""
    parts = name.split("::")
    for end in range(len(parts), 0, -1):
        suite, case = "::".join(parts[:end]), "::".join(parts[end:])
        for path in (Path(suite), Path(store.FOLDER) / suite, Path(store.FOLDER) / store.file_name(suite)):
            if suite and path.is_file() and path.suffix == ".json":
                return path, case
    existing = sorted(p.name for p in Path(store.FOLDER).glob("*.json"))
    listed = ", ".join(existing) or "none; `everypath generate` stores them"
    raise BadInput(f"no stored suite {name!r}; in {store.FOLDER}/ there are: {listed}")


def _recorded_options(suite: CallSuite, path: Path) -> Options:
    try:
        return _options_of(suite)
    except (KeyError, TypeError) as error:
        raise BadInput(f"the stored options are damaged ({error}); generate it again", Span(str(path))) from error


def _options_of(suite: CallSuite) -> Options:
    recorded: dict[str, dict[str, object]] = suite.options  # type: ignore[assignment]
    solver = dict(recorded["solver"])
    for key in ("layers", "int_range"):
        solver[key] = tuple(solver[key]) if solver[key] is not None else None  # type: ignore[arg-type]
    return Options(
        limits=Limits(**recorded["limits"]),  # type: ignore[arg-type]
        solver=SolverOptions(**solver),  # type: ignore[arg-type]
        fence=FenceOptions(**recorded["fence"]),  # type: ignore[arg-type]
        heap=str(recorded["heap"]),
        assume=tuple(recorded.get("assume", ())),
        types=tuple(recorded["types"]),
        reachable=bool(recorded.get("reachable", False)),
        invariant=recorded.get("invariant"),  # type: ignore[arg-type]
    )
