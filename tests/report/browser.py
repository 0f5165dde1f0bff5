"""A real browser for tests and pictures: Debian's Chromium, driven with Playwright's core package over a pipe."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Self

HERE = Path(__file__).resolve().parent
MODULES = HERE.parents[1] / "build" / "browser" / "node_modules"
PACKAGES = {"playwright-core": "1.65.1", "axe-core": "4.14.0"}
NAMES = ("chromium", "chromium-browser", "google-chrome")


def find_browser() -> str | None:
    """The program of the browser."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def missing() -> str | None:
    """What is not there of what the tests need."""
    if shutil.which("node") is None:
        return "node is not installed"
    if find_browser() is None:
        return "no Chromium is installed (Debian's package chromium)"
    absent = [name for name in PACKAGES if not (MODULES / name / "package.json").is_file()]
    return f"{', '.join(absent)} are not in {MODULES}: make browser" if absent else None


class Browser:
    """One browser; `open` gives it a page, the other methods are about that page."""

    def __init__(self) -> None:
        program = find_browser()
        assert program is not None
        self._process = subprocess.Popen(
            ["node", str(HERE / "driver.js"), str(MODULES), program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "NODE_OPTIONS": ""},
        )
        self.version = self._answer()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()

    def open(self, page: Path | str, hash: str = "", **given: Any) -> Any:
        """Show a file or an address; the milliseconds until it could be used."""
        address = page if isinstance(page, str) else page.resolve().as_uri()
        return self("open", address=address + hash, **given)

    def obstacles(self) -> list[Any]:
        """What keeps people with disabilities from using what is shown: the serious findings of axe."""
        return [each for each in self("axe") if each["impact"] in ("serious", "critical")]

    def __call__(self, name: str, **given: Any) -> Any:
        """Have a command of `driver.js` done."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"name": name, "given": given}) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def evaluate(self, script: str) -> Any:
        """The value of an expression on the page."""
        return self("evaluate", script=script)

    def text(self, selector: str) -> str:
        """The texts of all elements that fit, one after the other."""
        return "\n".join(self("texts", selector=selector))

    def go(self, hash: str) -> None:
        """Go to another view, and wait until it is shown."""
        self.evaluate("(window.before = document.getElementById('main').firstChild) && null")
        self("go", hash=hash)
        self("holds", script="document.getElementById('main').firstChild !== window.before")

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the browser has ended")
        told = json.loads(line)
        if "error" in told:
            raise RuntimeError(told["error"])
        return told["result"]
