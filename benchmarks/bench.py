"""Prints the speed of the engine, its heaps, actor programs and the search for races, beside other tools.

Absolute numbers say little about another machine; the ratios in the last column are measured in one run.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import actors
import engine
import growth
import guided
import heaps
import summaries
import versus_crosshair
import versus_frontrun
import versus_generators
import versus_prolog

import race
from everypath.app.commands import collect_rarely


def table(title: str, head: tuple[str, ...], lines: Iterable[tuple[str, ...]], first: int = 40) -> None:
    """Prints rows as they come; the first column is left-aligned and as wide as told."""
    print(f"\n{title}\n")
    widths = [first] + [max(11, len(name)) for name in head[1:]]

    def show(cells: tuple[str, ...]) -> None:
        padded = [cells[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(cells[1:], widths[1:])]
        print("  ".join(padded), flush=True)

    show(head)
    for cells in lines:
        show(cells)


def geometric_mean(values: list[float]) -> float:
    """The mean that ratios have."""
    return math.exp(sum(map(math.log, values)) / len(values)) if values else 0.0


def show_engine(results: dict[str, list[Any]]) -> None:
    """Cases, steps and decisions per second for the examples."""
    layers = ("folded", "bounds", "witness", "smt")
    head = ("target", "loops", "cases", "seconds", "cases/s", "steps/s", *(f"{layer}/s" for layer in layers))

    def lines() -> Iterable[tuple[str, ...]]:
        for target, loops in engine.TARGETS:
            row = engine.measure(target, loops)
            results["engine"].append(asdict(row))
            yield (
                target,
                str(loops),
                str(row.cases),
                f"{row.seconds:.4f}",
                f"{row.rate(row.cases):.0f}",
                f"{row.rate(row.steps):.0f}",
                *(f"{row.rate(row.decisions.get(layer, 0)):.0f}" for layer in layers),
            )

    table("Engine, exploration only", head, lines())


def show_prolog(results: dict[str, list[Any]]) -> None:
    """Exploration only, ours and the constraint-logic engine's."""
    swipl = versus_prolog.installed()
    if swipl is None:
        print("\nSWI-Prolog (swipl) is not installed: comparison left out")
        return
    head = ("program", "loops", "cases", "their s", "our s", "their step/s", "our step/s", "theirs/ours")

    def lines() -> Iterable[tuple[str, ...]]:
        for row in versus_prolog.rows(swipl):
            same = row.our_cases == row.prolog_cases
            results["prolog"].append({**asdict(row), "ratio": row.ratio if same else None})
            yield (
                f"{row.program} ({row.heap})",
                str(row.loops),
                str(row.our_cases) if same else f"{row.our_cases}!={row.prolog_cases}",
                f"{row.prolog_seconds:.5f}",
                f"{row.our_seconds:.5f}",
                f"{row.prolog_steps / row.prolog_seconds:.0f}",
                f"{row.our_steps / row.our_seconds:.0f}",
                f"{row.ratio:.2f}" if same else "-",
            )

    table("Beside SWI-Prolog, exploration only", head, lines())
    if any(row["our_cases"] != row["prolog_cases"] for row in results["prolog"]):
        print(
            "\nRows with a != do not count: the engines found different cases. Over unbounded integers CLP(FD) leaves"
        )
        print("some contradictory paths in, such as x < y with y <= x.")


def show_crosshair(results: dict[str, list[Any]], cap: float) -> None:
    """Whole processes, to the same branch coverage."""
    crosshair = versus_crosshair.installed()
    if crosshair is None:
        print("\nCrossHair is not installed: comparison left out")
        return
    head = ("target", "branches", "theirs", "our s", "their s", "theirs/ours")

    def lines() -> Iterable[tuple[str, ...]]:
        for row in versus_crosshair.rows(crosshair, cap):
            results["crosshair"].append({**asdict(row), "ratio": row.ratio})
            sign = "" if row.reached else ">"
            yield (
                row.target,
                str(row.our_branches),
                str(row.their_branches),
                f"{row.our_seconds:.2f}",
                f"{sign}{row.their_seconds:.2f}",
                f"{sign}{row.ratio:.2f}",
            )

    table("Beside CrossHair, whole process, to the same branch coverage", head, lines())


def show_generators(results: dict[str, list[Any]], seconds: float) -> None:
    """Branches, paths, tests and killed mutants of the suites that the generators write in the same time."""
    found: list[versus_generators.GeneratorRow] = []

    def lines() -> Iterable[tuple[str, ...]]:
        for row in versus_generators.rows(seconds):
            found.append(row)
            results["generators"].append(asdict(row))
            yield (
                f"{row.program} {row.generator}",
                f"{row.branches}/{row.all_branches}",
                str(row.paths),
                str(row.undeclared),
                f"{row.mutants}/{row.all_mutants}",
                str(row.tests),
                str(row.calls),
                str(row.dropped),
                f"{row.seconds:.1f}",
                f"{row.processor:.1f}",
                *(", ".join(names) for names in row.behind.values()),
            )

    columns = ("branches", "paths", "undeclared", "mutants", "tests", "calls", "dropped", "seconds", "CPU s")
    behind = ("everypath is behind in", "with fewer tests")
    title = f"Generators side by side, {seconds:g} s for each program"
    table(title, ("program, generator", *columns, *behind), lines(), first=56)
    for row in found:
        for note in row.notes:
            print(f"generators: {row.program} {row.generator}: {note}")
    print(
        "\ngenerators: 'undeclared' paths need arguments of other than the declared types; they are not among the paths"
    )
    print("generators: 'dropped' tests fail on the program itself; 'calls' are those of functions of the program")
    others = [row for row in found if row.behind]
    for name, ours in (("default", "everypath"), ("limited", "everypath with fewer tests")):
        for what in (*versus_generators.MEASURES, "tests"):
            lost = [row for row in others if what in row.behind[name]]
            where = "".join(f"; {row.program} {row.generator}" for row in lost)
            print(f"generators: {ours} is behind in {what} in {len(lost)} of {len(others)} rows{where}")


def show_heaps(results: dict[str, list[Any]], cap: float) -> None:
    """Data structures with each heap: the operations of the paper's table, then harder ones."""
    bounds = "loop-1, until each path has its inputs"
    show_heap_table(f"Heaps on data structures, {bounds}", "heaps", heaps.METHODS, results, cap)
    show_heap_table(f"Heaps where nodes move or are rotated, {bounds}", "harder heaps", heaps.HARDER, results, cap)


def show_heap_table(title: str, name: str, methods: tuple[str, ...], results: dict[str, list[Any]], cap: float) -> None:
    """Cases, steps and seconds of methods with each heap, and the ratios that matter."""
    columns = [f"{heap} {what}" for heap in heaps.COMPARED for what in ("cases", "steps", "s")]
    head = ("method", *columns, "lazy/solver", "solver/noalias", "exploring only")
    found: list[heaps.HeapRow] = []

    def lines() -> Iterable[tuple[str, ...]]:
        for row in heaps.rows(methods, cap):
            found.append(row)
            slower, overhead = row.ratio("lazy", "solver"), row.ratio("solver", "noalias")
            results["heaps"].append({**asdict(row), "lazy/solver": slower, "solver/noalias": overhead})
            cells = [row.method]
            for heap in heaps.COMPARED:
                run = row.runs[heap]
                sign = ">" if run.capped else ""
                cells += [f"{sign}{run.cases}", f"{sign}{run.steps}", f"{sign}{run.seconds:.3f}"]
            sign = ">" if row.runs["lazy"].capped else ""
            cells.append("-" if slower is None else f"{sign}{slower:.1f}")
            cells.append("-" if overhead is None else f"{overhead:.2f}")
            cells.append(f"{row.exploring:.2f}")
            yield tuple(cells)

    table(title, head, lines(), first=16)
    gains = [r for row in found if row.runs["lazy"].seconds > 1 and (r := row.ratio("lazy", "solver")) is not None]
    overheads = [ratio for row in found if (ratio := row.ratio("solver", "noalias")) is not None]
    if gains:
        print(f"\n{name}: where lazy takes over a second, it takes at least {min(gains):.1f} times as long as solver")
    if overheads:
        mean = geometric_mean(overheads)
        print(
            f"{name}: solver takes {mean:.2f} times as long as noalias (geometric mean), at most {max(overheads):.2f}"
        )


def show_growth(results: dict[str, list[Any]]) -> None:
    """Cost against the number of references, and the law that fits it better."""
    found: list[growth.GrowthRow] = []

    def lines() -> Iterable[tuple[str, ...]]:
        for row in growth.rows():
            found.append(row)
            results["growth"].append(asdict(row))
            cells = (str(row.references), str(row.cases), str(row.steps), f"{row.seconds:.4f}")
            yield (f"{row.family} ({row.heap})", *cells)

    head = ("family", "references", "cases", "steps", "seconds")
    table("Growth with the number of same-typed references", head, lines(), first=20)
    print()
    for family, heap in dict.fromkeys((row.family, row.heap) for row in found):
        chosen = [row for row in found if (row.family, row.heap) == (family, heap)]
        counts = [row.references for row in chosen]
        for what, costs in (("steps", [float(row.steps) for row in chosen]), ("seconds", [r.seconds for r in chosen])):
            laws = growth.fit(counts, costs)
            if laws is None:
                continue
            results["growth"].append({"family": family, "heap": heap, "fit": what, **asdict(laws)})
            print(
                f"growth: {family} ({heap}), {what}, n = {counts[0]}..{counts[-1]}: {laws.better};"
                f" n ** {laws.degree:.2f} leaves {laws.power_residual:.3f},"
                f" {laws.base:.2f} ** n leaves {laws.exponential_residual:.3f}"
            )
    print("growth: what a law leaves is the root mean square of its errors in the logarithm of the cost")


def show_race(results: dict[str, list[Any]]) -> None:
    """The search for thread-safety faults; times depend on what else runs, so the least of several attempts counts."""
    missing = ", ".join(subject.name for subject in race.PACKAGES if not subject.installed)
    if missing:
        print(f"\nNot installed (pip install 'everypath[bench]'), left out: {missing}")
    rate = race.arena_rate()
    results["race"].append({"arena": rate})
    print(f"\nrace: two tiny calls with one switch, enforced: {rate:.0f} runs/s")
    show_searches(results)
    show_first_faults(results)
    show_sequences(results)
    frontrun = versus_frontrun.installed()
    if frontrun is None:
        print("\nfrontrun is not installed (pip install 'everypath[bench]'): comparison left out")
    else:
        show_frontrun(results, frontrun)


def show_searches(results: dict[str, list[Any]]) -> None:
    """Interleavings per second of whole searches, and while interleavings are run."""

    def lines() -> Iterable[tuple[str, ...]]:
        for row in race.searches():
            results["race"].append(asdict(row))
            enforcing = row.runs / max(row.seconds - row.generating, 1e-6)
            yield (
                row.subject,
                str(row.findings),
                str(row.enforced),
                f"{'' if row.complete else '>'}{row.seconds:.2f}",
                f"{row.enforced / row.seconds:.0f}",
                f"{enforcing:.0f}",
            )

    head = ("class", "faults", "interleavings", "seconds", "interleavings/s", "runs/s enforcing")
    table("Whole searches for races, the worker's own time", head, lines(), first=28)


def show_first_faults(results: dict[str, list[Any]]) -> None:
    """Time and work to the first fault, by mode."""
    found: list[race.FirstRow] = []

    def cells(first: race.First | None) -> tuple[str, str]:
        return (f"{first.searching * 1000:.0f}", str(first.runs)) if first else (f">{race.CAP * 1000:.0f}", "-")

    def lines() -> Iterable[tuple[str, ...]]:
        for row in race.first_faults():
            found.append(row)
            results["race"].append(asdict(row))
            predicted = row.found["predict"]
            whole = f"{predicted.seconds:.2f}" if predicted else f">{race.CAP:.2f}"
            yield (row.subject, row.kind, whole, *(cell for mode in race.MODES for cell in cells(row.found[mode])))

    head = ("class", "kind", "name to fault, s", *(f"{mode} {what}" for mode in race.MODES for what in ("ms", "runs")))
    table("To the first fault from the bare class; ms and runs of the search alone", head, lines(), first=28)
    for mode in race.MODES[1:]:
        pairs = [(row.found["predict"], row.found[mode]) for row in found]
        ratios = [theirs.runs / ours.runs for ours, theirs in pairs if ours and theirs]
        lost = sum(1 for ours, theirs in pairs if ours and not theirs)
        print(
            f"\nrace: {mode} takes {geometric_mean(ratios):.2f} times the runs of predict to the first fault (geometric"
            f" mean of {len(ratios)}), and finds none within {race.CAP:g} s in {lost} more"
        )


def show_sequences(results: dict[str, list[Any]]) -> None:
    """The first call sequence with the five pruning rules and with D1 alone."""
    found: list[race.SequenceRow] = []

    def cells(run: race.SequenceRun) -> tuple[str, ...]:
        seconds = f"{'>' if run.capped else ''}{run.seconds * 1000:.0f}"
        return seconds, str(run.improvement), str(run.length), str(run.nodes)

    def lines() -> Iterable[tuple[str, ...]]:
        for row in race.sequences():
            found.append(row)
            results["race"].append(asdict(row))
            yield (row.subject, *cells(row.pruned), *cells(row.unpruned), f"{row.ratio:.1f}")

    columns = [f"{how} {what}" for how in ("pruned", "D1 only") for what in ("ms", "traces", "calls", "sequences")]
    title = f"First call sequence, first iteration, at most {race.SEQUENCE_CAP:g} s"
    table(title, ("class", *columns, "D1 only/pruned"), lines(), first=28)
    capped = sum(row.unpruned.capped for row in found)
    print(f"\nrace: without pruning {capped} of {len(found)} first iterations do not end in time")


def show_frontrun(results: dict[str, list[Any]], frontrun: str) -> None:
    """Whole processes up to a failing interleaving."""
    head = ("class", "their test", "strategy", "their s", "exploring s", "our s", "our whole s", "theirs/ours")

    def lines() -> Iterable[tuple[str, ...]]:
        for row in versus_frontrun.rows(frontrun):
            results["frontrun"].append({**asdict(row), "ratio": row.ratio})
            yield (
                row.cls,
                f"{row.lines} lines",
                row.strategy,
                f"{row.their_seconds:.2f}" if row.found else "not found",
                f"{row.exploring:.2f}",
                f"{row.our_seconds:.2f}",
                f"{row.whole_seconds:.2f}",
                f"{row.ratio:.2f}" if row.ratio is not None else "-",
            )

    title = (
        "Beside frontrun: a test written by hand for the fault, and the bare class; process start to failing schedule"
    )
    table(title, head, lines(), first=20)
    print("\nrace: 'our whole s' is the whole command: all faults, each run again three times, the test file written")


def show_actors(results: dict[str, list[Any]], cap: float) -> None:
    """States per second, then the table of the paper in the paper's two orders and in the default one."""
    show_speeds(results)
    show_table(results, cap)


def show_speeds(results: dict[str, list[Any]]) -> None:
    """How many states a second has, and how that changes with the bounds."""
    found: list[actors.SpeedRow] = []

    def lines() -> Iterable[tuple[str, ...]]:
        for row in actors.speeds():
            found.append(row)
            results["actors"].append({**asdict(row), "rate": row.rate})
            sign = ">" if row.capped else ""
            yield (
                row.name,
                f"{sign}{row.executions}",
                f"{sign}{row.states}",
                f"{sign}{row.seconds:.2f}",
                f"{row.rate:.0f}",
                f"{row.rate / found[0].rate:.2f}",
            )

    head = ("loops, switches, actors", "executions", "states", "seconds", "states/s", "of the first")
    table("Actors, ignoring task independence (--apet --order stable), exploration only", head, lines(), first=28)
    printed = next((row for row in found if row.name == actors.PRINTED), None)
    if printed is not None:
        paper, target = actors.PAPER_RATE, actors.TARGET_RATE
        print(
            f"\nactors: {printed.rate:.0f} states/s on {printed.name}: {printed.rate / paper:.2f} times the paper's"
            f" {paper}, {printed.rate / target:.2f} times the {target} aimed at"
        )
    slowest = min(found, key=lambda row: row.rate)
    print(
        f"actors: at most {max(row.states for row in found) / found[0].states:.0f} times the states of {found[0].name},"
        f" and never less than {slowest.rate / found[0].rate:.2f} of its states/s ({slowest.name})"
    )


def show_table(results: dict[str, list[Any]], cap: float) -> None:
    """Cases, states and seconds of every order beside what is printed in the paper."""
    found: list[tuple[actors.TableRow, dict[str, actors.OrderRow]]] = []

    def faithful() -> Iterable[tuple[str, ...]]:
        for row, orders in actors.table(cap):
            found.append((row, orders))
            results["actors"].append({**asdict(row), "orders": {name: asdict(run) for name, run in orders.items()}})
            for order, column in actors.COLUMNS.items():
                run, theirs = orders[order], getattr(row, column)
                sign = ">" if run.capped else ""
                yield (
                    f"{row.name} {order}",
                    f"{sign}{run.cases}",
                    str(theirs.tests),
                    f"{sign}{run.states}",
                    str(theirs.states),
                    str(run.blocked),
                    f"{sign}{run.seconds:.2f}",
                    f"{theirs.milliseconds / 1000:.2f}",
                    f"{theirs.milliseconds / 1000 / max(run.seconds, 1e-6):.2f}",
                )

    head = ("row and order", "cases", "paper's", "states", "paper's", "blocked", "seconds", "paper's s", "paper's/ours")
    title = f"Table 1 of the actor paper, its two columns (--apet), cases made; at most {cap:g} s each"
    table(title, head, faithful(), first=28)

    def optimal() -> Iterable[tuple[str, ...]]:
        for row, orders in found:
            run = orders["optimal"]
            sign = ">" if run.capped else ""
            yield (
                row.name,
                f"{sign}{run.cases}",
                "-" if row.distinct is None else str(row.distinct),
                str(row.exploiting.tests),
                str(row.ignoring.tests),
                f"{sign}{run.states}",
                str(row.exploiting.states),
                str(row.ignoring.states),
                str(run.probes),
                str(run.blocked),
                f"{sign}{run.seconds:.2f}",
                f"{run.seconds / max(orders['independent'].seconds, 1e-6):.2f}",
            )

    columns = ("distinct", "exploiting", "ignoring")
    head = ("row", "cases", *columns, "states", *columns[1:], "probes", "blocked", "seconds", "of independent")
    table("The same with the order optimal, one case for each input and outcome", head, optimal(), first=16)
    runs = [(row, orders["optimal"]) for row, orders in found]
    same = sum(
        (orders[order].cases, orders[order].states) == (getattr(row, column).tests, getattr(row, column).states)
        for row, orders in found
        for order, column in actors.COLUMNS.items()
    )
    counted = [(row, run) for row, run in runs if row.distinct is not None]
    exact = sum(run.cases == row.distinct for row, run in counted)
    states = [row.exploiting.states / max(run.states, 1) for row, run in runs]
    made = [row.exploiting.states / max(run.states + run.probes, 1) for row, run in runs]
    print(
        "\nactors: 'distinct' are the tests of a row that differ in input or outcome; probes are macro-steps only made"
        "\nactors: to learn whether another order leads to something new, and are not among the states"
        f"\nactors: cases and states are the paper's in {same} of {len(actors.COLUMNS) * len(found)} cells"
        f"\nactors: optimal has exactly the distinct cases in {exact} of {len(counted)} rows"
        f"\nactors: the paper's best explores {geometric_mean(states):.2f} times the states of optimal, or"
        f" {geometric_mean(made):.2f} times with probes counted (geometric means)"
    )


PARTS = ("engine", "heaps", "growth", "guided", "summaries", "prolog", "crosshair", "generators", "actors", "race")


def main() -> None:
    """Runs the chosen parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"{', '.join(PARTS)}; all when none is named")
    parser.add_argument("--cap", type=float, default=8.0, help="largest time budget given to CrossHair, in seconds")
    parser.add_argument("--heap-cap", type=float, default=30.0, help="seconds for one data structure with one heap")
    parser.add_argument("--actor-cap", type=float, default=300.0, help="seconds for one row of the actor table")
    parser.add_argument("--generator-seconds", type=float, default=10.0, help="for one generator on one program")
    parser.add_argument("--json", metavar="FILE", help="also write all rows here")
    given = parser.parse_args()
    parts = given.parts or PARTS
    unknown = set(parts) - set(PARTS)
    if unknown:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    results: dict[str, list[Any]] = {part: [] for part in (*PARTS, "frontrun")}
    collect_rarely()  # as the program itself does
    if "engine" in parts:
        show_engine(results)
    if "heaps" in parts:
        show_heaps(results, given.heap_cap)
    if "growth" in parts:
        show_growth(results)
    if "guided" in parts:
        print("\nstates of guided searches, against all paths\n")
        guided.main([])
    if "summaries" in parts:
        print("\ncomposing summaries and executing calls, by levels of calls\n")
        summaries.main()
    if "prolog" in parts:
        show_prolog(results)
    if "crosshair" in parts:
        show_crosshair(results, given.cap)
    if "generators" in parts:
        show_generators(results, given.generator_seconds)
    if "actors" in parts:
        show_actors(results, given.actor_cap)
    if "race" in parts:
        show_race(results)
    for name in ("prolog", "crosshair", "frontrun"):
        ratios = [row["ratio"] for row in results[name] if row["ratio"] is not None]
        if ratios:
            at_least = "at least " if any(not row.get("reached", True) for row in results[name]) else ""
            mean = f"{at_least}{geometric_mean(ratios):.2f}"
            print(f"\n{name}: its time is {mean} times ours (geometric mean of {len(ratios)} rows)")
            counted = [row for row in results[name] if row["ratio"] is not None]
            theirs = sum(row.get("their_seconds", row.get("prolog_seconds", 0.0)) for row in counted)
            total = theirs / sum(row["our_seconds"] for row in counted)
            print(f"{name}: {at_least}{total:.2f} times ours over all rows together")
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
