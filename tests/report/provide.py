"""Gets what the tests in a browser need: Chromium from Debian's packages, Playwright's core and axe-core from npm.

    python tests/report/provide.py

The packages of npm go to `build/browser`. Where something cannot be had, a line says so and the tests are skipped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from browser import MODULES, PACKAGES, find_browser, missing


def provide() -> str | None:
    """Install what is missing; what to tell if that is not possible."""
    if find_browser() is None:
        problem = _install_browser()
        if problem:
            return problem
    if missing() is not None and shutil.which("npm") is not None:
        folder = MODULES.parent
        folder.mkdir(parents=True, exist_ok=True)
        packages = [f"{name}@{version}" for name, version in PACKAGES.items()]
        command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(folder), *packages]
        installed = subprocess.run(command, capture_output=True, text=True, check=False)
        if installed.returncode != 0:
            return f"npm install {' '.join(packages)} failed: {installed.stderr.strip().splitlines()[-1:]}"
    return missing()


def _install_browser() -> str | None:
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        return "no Chromium is installed, and it cannot be installed without apt-get and the rights of root"
    for command in (["install"], ["update"], ["install"]):
        packages = ["--no-install-recommends", "chromium"] if command == ["install"] else []
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        done = subprocess.run(
            ["apt-get", *command, "-y", "-q", *packages], capture_output=True, env=environment, check=False
        )
        if command == ["install"] and done.returncode == 0:
            return None
    return "apt-get install chromium failed"


if __name__ == "__main__":
    told = provide()
    if told is not None:
        print(f"The tests in a browser will be skipped: {told}", file=sys.stderr)
