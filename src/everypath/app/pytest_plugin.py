"""The plugin for pytest: two options, and nothing else unless one of them is given.

`pytest --everypath src/shop` collects the generated tests of a target without writing files, and
`pytest --everypath-check src/shop` is one test that fails when the files of generated tests are out of date.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """What users can ask for."""
    group = parser.getgroup("everypath", "generated tests (Everypath)")
    group.addoption(
        "--everypath",
        action="append",
        default=[],
        metavar="TARGET",
        help="Generate tests for TARGET, as `everypath generate` does, and collect them; no file is written.",
    )
    group.addoption(
        "--everypath-check",
        action="append",
        default=[],
        metavar="TARGET",
        help="One test that fails when the files of generated tests for TARGET are out of date.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Whoever asks for nothing pays for nothing: only now is the rest loaded."""
    targets, checked = config.getoption("--everypath"), config.getoption("--everypath-check")
    if targets or checked:
        from everypath.app.collecting import Collecting

        config.pluginmanager.register(Collecting(targets, checked), "everypath-collecting")
