"""Every seeded thread-safety fault is found from the bare class name; the corrected classes are clean."""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import everypath
from tests.conftest import ROOT

THREADS = ROOT / "examples" / "threads"
SECONDS = 10.0
"""Within which a fault must be found."""


@dataclass(frozen=True, slots=True)
class Seeded:
    """A class with one fault: where it is, what memory or lock it is about, and how it may show itself."""

    cls: str
    fault: str
    """the method that is wrong"""
    places: str
    kinds: str
    """those that the best finding may have"""


SEEDED = {
    "auction": Seeded("Auction", "bid", "_best", "result state"),
    "bank": Seeded("Bank", "transfer", "lock", "deadlock"),
    "bounded_buffer": Seeded("BoundedBuffer", "get", "_items", "exception deadlock"),
    "connection_pool": Seeded("ConnectionPool", "acquire", "_made", "result state"),
    "crawl_frontier": Seeded("CrawlFrontier", "add", "__seen", "result"),
    "event_emitter": Seeded("EventEmitter", "on", "_listeners", "exception state"),
    "gate": Seeded("Gate", "wait", "_opened", "deadlock"),
    "group_dict": Seeded("GroupDict", "__missing__", "GroupDict", "result state"),
    "hit_counter": Seeded("HitCounter", "hit", "_total", "state result"),
    "id_allocator": Seeded("IdAllocator", "allocate", "_last_number", "result"),
    "job_queue": Seeded("JobQueue", "take", "_jobs", "exception"),
    "lazy_connection": Seeded("LazyConnection", "get", "_connection", "result state"),
    "ledger": Seeded("Ledger", "deposit", "_balance", "state result"),
    "log_buffer": Seeded("LogBuffer", "write", "_lines", "state result"),
    "lru_cache": Seeded("LruCache", "get", "_entries", "exception"),
    "memoize": Seeded("Memoize", "__call__", "_results", "exception"),
    "name_directory": Seeded("NameDirectory", "register", "_addresses", "result"),
    "once_callbacks": Seeded("OnceCallbacks", "fire", "_waiting", "exception"),
    "plugin_registry": Seeded("PluginRegistry", "instance", "_instance", "result state"),
    "position": Seeded("Position", "move_to", "_x _y", "result"),
    "printer": Seeded("Printer", "refill", "_paper", "state result"),
    "promise": Seeded("Promise", "resolve", "_resolved _flag", "result state"),
    "purse": Seeded("Purse", "spend", "_lock", "lock-kept deadlock"),
    "rate_limiter": Seeded("RateLimiter", "allow", "_tokens", "result state"),
    "read_write_lock": Seeded("ReadWriteLock", "acquire_read", "_readers", "result state deadlock"),
    "round_robin": Seeded("RoundRobin", "pick", "_turn", "exception result"),
    "running_mean": Seeded("RunningMean", "mean", "_sum", "result"),
    "settings": Seeded("Settings", "_parsed", "_values", "result"),
    "shopping_basket": Seeded("ShoppingBasket", "total", "_total", "result state"),
    "span": Seeded("Span", "resize", "low high", "state"),
    "stock_report": Seeded("Stock", "report", "_quantities", "exception"),
    "subscribers": Seeded("Subscribers", "add", "_names", "state result"),
    "thermostat": Seeded("Thermostat", "warmer", "_target", "state result"),
    "ttl_cache": Seeded("TtlCache", "put", "_deadlines", "exception"),
    "warehouse": Seeded("Warehouse", "cancel", "_order_lock", "deadlock"),
    "word_tally": Seeded("WordTally", "add", "_counts", "result"),
    "work_stack": Seeded("WorkStack", "push", "_size", "state result"),
}
EVERYDAY = ("bank", "gate", "lru_cache", "purse", "span")
"""One of each kind; the rest is left to the slow suite."""

_names = [pytest.param(name, marks=() if name in EVERYDAY else pytest.mark.slow, id=name) for name in sorted(SEEDED)]


def _race(folder: Path, name: str, cls: str, *options: str) -> tuple[int, dict[str, Any]]:
    target = f"{THREADS / name}.py::{cls}"
    result = everypath(folder, "race", target, "--format", "json", "--time", str(SECONDS), *options)
    assert result.code in (0, 1), result
    return result.code, json.loads(result.out)


def _method_at(file: Path, line: int) -> str:
    """The innermost function around a line, after the name of its class."""
    found = ""
    for cls in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(cls, ast.ClassDef):
            for method in cls.body:
                if isinstance(method, ast.FunctionDef) and method.lineno <= line <= (method.end_lineno or 0):
                    found = f"{cls.name}.{method.name}"
    return found


def _where(finding: dict[str, Any]) -> str:
    file, _, line = finding["location"].rpartition(":")
    return _method_at(THREADS / Path(file).name, int(line))


def test_every_example_is_tested() -> None:
    assert sorted(SEEDED) == sorted(path.stem for path in THREADS.glob("*.py"))


@pytest.mark.parametrize("name", _names)
def test_the_fault_is_found(tmp_path: Path, name: str) -> None:
    seeded = SEEDED[name]
    code, report = _race(tmp_path, name, seeded.cls)
    findings = report["findings"]
    assert code == 1 and findings, report
    assert report["problems"] == []
    wrong = f"{seeded.cls}.{seeded.fault}"
    for finding in findings:
        assert _where(finding).startswith(f"{seeded.cls}."), finding["location"]
        # One fault was seeded: whatever goes wrong, the wrong method takes part in it.
        assert any(turn["function"] == wrong for turn in finding["interleaving"]), finding["title"]
    best = findings[0]
    assert best["kind"] in seeded.kinds.split(), best["title"]
    places = [place for finding in findings for place in finding["places"]]
    assert any(place.endswith(tuple(seeded.places.split())) for place in places), places
    assert min(finding["seconds_to_find"] for finding in findings) <= SECONDS


@pytest.mark.parametrize("name", _names)
def test_the_corrected_class_is_clean(tmp_path: Path, name: str) -> None:
    code, report = _race(tmp_path, name, f"Safe{SEEDED[name].cls}")
    assert [finding["title"] for finding in report["findings"]] == []
    assert report["problems"] == []
    assert code == 0
    assert 0 < report["stats"]["pairs_covered"] == report["stats"]["pairs_total"], report["stats"]


@pytest.mark.parametrize("name", sorted(SEEDED))
def test_the_corrected_class_offers_the_same(name: str) -> None:
    source = ast.parse((THREADS / f"{name}.py").read_text(encoding="utf-8"))
    classes = {node.name: node for node in source.body if isinstance(node, ast.ClassDef)}
    faulty, safe = classes[SEEDED[name].cls], classes[f"Safe{SEEDED[name].cls}"]
    assert _signatures(faulty) == _signatures(safe)


def _signatures(cls: ast.ClassDef) -> dict[str, str]:
    methods = [node for node in cls.body if isinstance(node, ast.FunctionDef)]
    return {node.name: ast.unparse(node.args) for node in methods}
