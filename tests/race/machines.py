"""Small deterministic classes as finite state machines, and what an exhaustive walk over them gives."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import strategies as st

from everypath.race.running import Call
from everypath.race.search.coverage import Coverage, Trace
from everypath.race.search.sequences import Extension

START = 0

Row = tuple[int, str, bool]
"""the next state, the trace ("" for none), whether the call raises"""


class Machine:
    """A class given by what each call does in each state; counts what it is asked."""

    def __init__(self, table: list[list[Row]]) -> None:
        self.table = table
        self.calls = tuple(Call(f"m{n}", f"sut.m{n}()") for n in range(len(table[0])))
        self.executed: list[tuple[tuple[Call, ...], Call]] = []

    def __repr__(self) -> str:
        return f"Machine({self.table!r})"

    def row(self, state: int, call: Call) -> Row:
        return self.table[state][self.calls.index(call)]

    def state(self, sequence: Iterable[Call]) -> int:
        """Where the sequence leads."""
        state = START
        for call in sequence:
            state = self.row(state, call)[0]
        return state

    def extend(self, prefix: tuple[Call, ...], call: Call) -> Extension:
        self.executed.append((prefix, call))
        state, trace, raises = self.row(self.state(prefix), call)
        return Extension(tuple(trace), state, raised=raises)

    def traces(self, sequence: Iterable[Call]) -> Coverage:
        """The coverage of a sequence, from the table."""
        state, seen = START, set()
        for call in sequence:
            state, trace, _ = self.row(state, call)
            seen.add(tuple(trace))
        return frozenset(seen - {()})

    def reachable(self, covered: frozenset[Trace] = frozenset()) -> Coverage:
        """Every trace of a call that some sequence without exceptions makes."""
        states, traces = [START], set()
        for state in states:
            for after, trace, raises in self.table[state]:
                if not raises:
                    traces.add(tuple(trace))
                    if after not in states:
                        states.append(after)
        return frozenset(traces - {()}) - covered

    def optimum(self, covered: frozenset[Trace], k: int | None) -> tuple[int, int]:
        """Most traces that a sequence can add, and the fewest calls for it, by walking all (state, traces, idle).

        With k, only sequences all of whose proper prefixes are not yet saturated.
        """
        none: Coverage = frozenset()
        level = {(START, none, 0)}
        seen = set(level)
        best, length = (0, 0), 0
        while level:
            length += 1
            following = set()
            for state, traces, idle in level:
                for after, name, raises in self.table[state]:
                    trace = tuple(name)
                    if raises:
                        continue
                    improves = bool(trace) and trace not in covered and trace not in traces
                    added = traces | {trace} if improves else traces
                    since = 0 if improves else idle + 1
                    best = max(best, (len(added), -length))
                    node = (after, added, 0 if k is None else since)
                    if node not in seen and (k is None or since < k):
                        seen.add(node)
                        following.add(node)
            level = following
        return best[0], -best[1]


@st.composite
def machines(draw: st.DrawFn, states: int = 4, calls: int = 3, traces: int = 5) -> Machine:
    """Machines with few states, a call in a state having its own or a shared trace, raising at times."""
    size = draw(st.integers(1, states))
    width = draw(st.integers(1, calls))
    names = st.sampled_from(["", *(chr(ord("a") + n) for n in range(traces))])
    row = st.tuples(st.integers(0, size - 1), names, st.sampled_from([False] * 7 + [True]))
    return Machine([[draw(row) for _ in range(width)] for _ in range(size)])


def covers(traces: int = 5) -> st.SearchStrategy[frozenset[Trace]]:
    """What may be covered already."""
    return st.frozensets(st.sampled_from([(chr(ord("a") + n),) for n in range(traces)]), max_size=2)
