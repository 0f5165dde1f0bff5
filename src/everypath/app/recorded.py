"""The options that a stored suite was made with."""

from __future__ import annotations

from everypath.cases.kinds import AnySuite
from everypath.errors import BadInput, Span
from everypath.options import FenceOptions, Limits, Options, SolverOptions


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
    return Options(
        limits=Limits(**recorded["limits"]),  # type: ignore[arg-type]
        solver=SolverOptions(**solver),  # type: ignore[arg-type]
        fence=FenceOptions(**recorded["fence"]),  # type: ignore[arg-type]
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
