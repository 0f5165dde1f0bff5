"""What has been done of a run over functions, and what that says about the rest of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from everypath.report.progress import Part, clock

_NOTHING = (0, 0, 0, 0)


class Tally:
    """Counts functions, paths, cases and findings while a run goes on."""

    def __init__(self, each: float, total: float | None) -> None:
        self._each = each
        """seconds that a function may take"""
        self._total = total
        """seconds that the whole run may take, if there is a limit"""
        self._ahead: dict[str, int] = {}
        """module -> how many functions it has, for those that are not done"""
        self._done = 0
        """functions of modules that are done"""
        self._begun: dict[str, tuple[int, int, int, int]] = {}
        """function of a module that is not done -> its paths, cases, cuts and findings"""
        self._counts = _NOTHING
        self._since = 0.0
        """when the present function began"""
        self._now = ""
        self._doing = ""

    def planned(self, functions: Mapping[str, int]) -> None:
        """So many functions of each module are asked for, as far as can be seen."""
        self._ahead = dict(functions)

    def explored(self, function: str, counts: tuple[int, int, int, int], seconds: float) -> bool:
        """A function is being explored, and this is what was found of it; tells whether it begins now."""
        before = self._begun.get(function)
        self._begun[function] = counts
        self._counts = tuple(a + b - c for a, b, c in zip(self._counts, counts, before or _NOTHING))  # type: ignore[assignment]
        self._now, self._doing = function, ""
        if before is None:
            self._since = seconds
        return before is None

    def working(self, what: str) -> None:
        """Something else than exploring is done."""
        self._doing = what

    def module_done(self, module: str, functions: int) -> None:
        """A module is done; it had so many functions, those that were known already included."""
        self._ahead.pop(module, None)
        self._done += functions
        self._begun.clear()
        self._doing = ""

    def parts(self, seconds: float) -> Sequence[Part]:
        """All of that after so many seconds."""
        paths, cases, cuts, findings = self._counts
        total = max(self._done + sum(self._ahead.values()), self._done + len(self._begun))
        at = min(self._done + len(self._begun), total)
        count = (f"function {at} of {total}", f"{at} of {total}", f"{at}/{total}") if total > 1 else ("",)
        name = self._now.rpartition("::")[2]
        last = name.rpartition(".")[2]
        return [
            Part(count, 7),
            Part((self._now, name, last, ""), 5),
            Part((self._doing, ""), 3),
            Part((f"{paths} paths", ""), 8),
            Part((f"{cases} cases",), 0),
            Part((f"{findings} finding{'s' * (findings != 1)}", *([""] if not findings else [])), 1 if findings else 2),
            Part((f"{cuts} cut", ""), 9),
            Part((clock(seconds), ""), 4),
            Part((self._left(seconds, at, total), ""), 6),
        ]

    def _left(self, seconds: float, at: int, total: int) -> str:
        """How long it may still take: as long as it took so far for each function, and no longer than allowed."""
        most = [] if self._total is None else [self._total - seconds]
        if total == 1:
            most.append(self._each - (seconds - self._since))
        if at > 1:
            guess = seconds / (at - 0.5) * (total - at + 0.5)
            return f"about {clock(max(0.0, min([guess, *most])))} left"
        return f"at most {clock(max(0.0, min(most)))} left" if most and self._begun else ""
