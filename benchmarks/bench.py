"""Prints the speed of the engine and of its heaps, and of SWI-Prolog and CrossHair where they are installed.

Absolute numbers say little about another machine; the ratios in the last column are measured in one run.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import engine
import growth
import heaps
import versus_crosshair
import versus_prolog


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


def show_heaps(results: dict[str, list[Any]], cap: float) -> None:
    """Cases, steps and seconds of the data structures with each heap, and the ratios that matter."""
    columns = [f"{heap} {what}" for heap in heaps.COMPARED for what in ("cases", "steps", "s")]
    head = ("method", *columns, "lazy/solver", "solver/noalias")
    found: list[heaps.HeapRow] = []

    def lines() -> Iterable[tuple[str, ...]]:
        for row in heaps.rows(cap):
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
            yield tuple(cells)

    table("Heaps on data structures, loop-1, exploration only", head, lines(), first=16)
    gains = [r for row in found if row.runs["lazy"].seconds > 1 and (r := row.ratio("lazy", "solver")) is not None]
    overheads = [ratio for row in found if (ratio := row.ratio("solver", "noalias")) is not None]
    if gains:
        print(f"\nheaps: where lazy takes over a second, it takes at least {min(gains):.1f} times as long as solver")
    if overheads:
        mean = geometric_mean(overheads)
        print(f"heaps: solver takes {mean:.2f} times as long as noalias (geometric mean), at most {max(overheads):.2f}")


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


PARTS = ("engine", "heaps", "growth", "prolog", "crosshair")


def main() -> None:
    """Runs the chosen parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"{', '.join(PARTS)}; all when none is named")
    parser.add_argument("--cap", type=float, default=8.0, help="largest time budget given to CrossHair, in seconds")
    parser.add_argument("--heap-cap", type=float, default=30.0, help="seconds for one data structure with one heap")
    parser.add_argument("--json", metavar="FILE", help="also write all rows here")
    given = parser.parse_args()
    parts = given.parts or PARTS
    unknown = set(parts) - set(PARTS)
    if unknown:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    results: dict[str, list[Any]] = {part: [] for part in PARTS}
    if "engine" in parts:
        show_engine(results)
    if "heaps" in parts:
        show_heaps(results, given.heap_cap)
    if "growth" in parts:
        show_growth(results)
    if "prolog" in parts:
        show_prolog(results)
    if "crosshair" in parts:
        show_crosshair(results, given.cap)
    for name in ("prolog", "crosshair"):
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
