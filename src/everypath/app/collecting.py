"""Generated tests among those that pytest collects, and the test that files of generated tests are up to date."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest

import everypath
from everypath.app.api import Suite
from everypath.app.arguments import settings_for
from everypath.cases import store
from everypath.cases.findings import grouped
from everypath.errors import BadInput

_NAME = "everypath"


class Collecting:
    """Adds to what pytest has collected, before it chooses by names and marks."""

    def __init__(self, targets: Sequence[str], checked: Sequence[str]) -> None:
        self._targets = targets
        self._checked = checked
        self._lines: list[str] = []
        """what is said about the generated tests at the end"""
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        """Generate the tests, and put them behind the others."""
        for target in self._targets:
            items += self._generated(session, target)
        for target in self._checked:
            items.append(UpToDate.from_parent(session, name=f"{_NAME}-check::{target}", target=target))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what the generated tests are about, and what could not be done."""
        if self._lines:
            terminalreporter.section("everypath")
            for line in self._lines:
                terminalreporter.write_line(line)

    def pytest_unconfigure(self) -> None:
        """The tests were never meant to stay."""
        if self._folder is not None:
            self._folder.cleanup()

    def _generated(self, session: pytest.Session, target: str) -> Iterator[pytest.Item]:
        try:
            suite = everypath.generate(target, **{"store": _store(), **settings_for(target)})
        except BadInput as error:
            raise pytest.UsageError(f"--everypath {target}: {error}") from None
        self._tell(target, suite)
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="everypath-pytest-")
        folder = Path(tempfile.mkdtemp(dir=self._folder.name))
        for name, text in suite.files(folder):
            path = folder / name
            path.write_text(text, encoding="utf-8")
            module = GeneratedModule.from_parent(session, path=path, name=name, nodeid=f"{_NAME}::{name}")
            yield from session.genitems(module)

    def _tell(self, target: str, suite: Suite) -> None:
        records = [case.record for case in suite]
        findings = grouped(records)
        cuts = sum(sum(each.stats.cut.values()) for each in suite.records)
        self._lines.append(f"{target}: {len(records)} cases, {len(findings)} findings, {cuts} cut")
        for group in findings:
            finding = group.finding
            self._lines.append(f"{finding.file}:{finding.line}: {finding.kind}: {finding.message}")
        for problem in suite.problems:
            if problem.kind != "note":
                self._lines.append(f"{problem.file}:{problem.line}: {problem.message}")


def _store() -> str | None:
    """What earlier runs have found is used where there is any, but nobody has asked to keep something."""
    return store.FOLDER if Path(store.FOLDER).is_dir() else None


class GeneratedModule(pytest.Module):
    """Generated tests, which lie in a folder that nobody is to see."""


class UpToDate(pytest.Item):
    """The files of generated tests are as a run would write them now."""

    def __init__(self, *, target: str, **rest: object) -> None:
        super().__init__(**rest)  # type: ignore[arg-type]
        self._target = target

    def runtest(self) -> None:
        """Ask in a process of its own: here, everything of the program may have been imported and changed."""
        command = [sys.executable, "-m", "everypath", "generate", self._target, "--check"]
        done = subprocess.run(command, cwd=self.config.invocation_params.dir, capture_output=True, text=True)
        if done.returncode != 0:
            raise OutOfDate(_about_files(f"{done.stdout}{done.stderr}".splitlines(), self._target))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
        """What is out of date, without a traceback."""
        return str(excinfo.value) if isinstance(excinfo.value, OutOfDate) else str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, None, str]:
        """Where it stands: nowhere."""
        return Path(self._target.partition("::")[0]), None, self.name


class OutOfDate(Exception):
    """A file of generated tests is not what would be written now."""


def _about_files(lines: Iterable[str], target: str) -> str:
    told = [line for line in lines if line.startswith(("out of date", " ", "error", "kept"))]
    return "\n".join([*told, f"bring it up to date with `everypath generate {target}`"])
