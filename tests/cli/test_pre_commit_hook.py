"""The hooks of `.pre-commit-hooks.yaml`, run by the real pre-commit."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

from .command import everypath

CODE = "def sign(n: int) -> int:\n    return 1 if n > 0 else 0\n"


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
    done = subprocess.run(["git", *identity, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository that uses the hooks of another one, without an environment of their own: that needs a network."""
    hooks, project = tmp_path / "hooks", tmp_path / "project"
    hooks.mkdir()
    shutil.copy(ROOT / ".pre-commit-hooks.yaml", hooks)
    git(hooks, "init", "-q")
    git(hooks, "add", ".")
    git(hooks, "commit", "-qm", "Hooks")
    project.mkdir()
    (project / "shop.py").write_text(CODE)
    (project / ".pre-commit-config.yaml").write_text(
        f"repos:\n- repo: {hooks}\n  rev: {git(hooks, 'rev-parse', 'HEAD')}\n  hooks:\n"
        "  - id: everypath-check\n    language: system\n    args: [shop.py]\n"
        "  - id: everypath\n    language: system\n    args: [shop.py]\n    stages: [manual]\n"
    )
    git(project, "init", "-q")
    git(project, "add", ".")
    return project


def pre_commit(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    tools = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return subprocess.run(
        [sys.executable, "-m", "pre_commit", "run", "--all-files", *arguments],
        cwd=project,
        env={**os.environ, "PATH": tools, "PRE_COMMIT_HOME": str(project.parent / "home")},
        capture_output=True,
        text=True,
        timeout=100,
    )


def test_the_hook_fails_while_files_are_out_of_date(project: Path) -> None:
    done = pre_commit(project)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "generated tests are up to date" in done.stdout and "the file does not exist" in done.stdout
    done = pre_commit(project, "--hook-stage", "manual", "everypath")
    assert done.returncode == 0 and (project / "test_shop_generated.py").exists(), done.stdout
    assert pre_commit(project).returncode == 0
    (project / "shop.py").write_text(CODE.replace("> 0", "> 8"))
    done = pre_commit(project)
    assert done.returncode == 1 and "out of date: test_shop_generated.py" in done.stdout
    assert everypath(project, "generate", "shop.py").code == 0
    assert pre_commit(project).returncode == 0
