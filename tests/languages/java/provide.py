"""Gets what the Java tests need, JUnit and a JDK where there is none, from Debian's packages.

    python tests/languages/java/provide.py build/java

Packages are downloaded and unpacked into that folder; nothing is installed. Where that is impossible, a line says so
and the tests are skipped. `tests/languages/java/places.py` finds what is there.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from places import JUNIT_JARS, find_jars, find_jdk

JUNIT_PACKAGES = ("junit5", "libapiguardian-java", "libopentest4j-java")
JDK_VERSIONS = ("17", "21", "25")


def provide(folder: Path) -> str | None:
    """Unpack what is missing; what to tell if that is not possible."""
    wanted: list[tuple[str, ...]] = []
    if len(find_jars(folder)) < len(JUNIT_JARS):
        wanted.append(JUNIT_PACKAGES)
    if find_jdk(folder) is None:
        wanted.append(_jdk_packages())
    if not wanted:
        return None
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        return "there is no apt-get and dpkg-deb here to get them with"
    folder.mkdir(parents=True, exist_ok=True)
    for packages in wanted:
        problem = _unpack(packages, folder.resolve())
        if problem:
            return problem
    _inside(folder.resolve() / "root")
    return None


def _jdk_packages() -> tuple[str, ...]:
    """The first version that this system's lists know."""
    known = (version for version in JDK_VERSIONS if _quiet("apt-cache", "show", f"openjdk-{version}-jdk-headless"))
    version = next(known, JDK_VERSIONS[0])
    return f"openjdk-{version}-jre-headless", f"openjdk-{version}-jdk-headless"


def _quiet(*command: str) -> bool:
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def _unpack(packages: tuple[str, ...], folder: Path) -> str | None:
    downloads = folder / "downloads"
    downloads.mkdir(exist_ok=True)
    # Lists of packages of our own where the system has none, so that no right to change the system's is needed.
    lists = folder / "lists"
    own = ["-o", f"Dir::State::lists={lists}", "-o", f"Dir::Cache={folder / 'cache'}"]
    fetch = ["apt-get", "download", "-q", "-o", "Acquire::Retries=3"]
    result = subprocess.run([*fetch, *packages], cwd=downloads, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        (lists / "partial").mkdir(parents=True, exist_ok=True)
        subprocess.run(["apt-get", "update", "-q", *own], cwd=downloads, capture_output=True, check=False)
        command = [*fetch, *own, *packages]
        result = subprocess.run(command, cwd=downloads, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        lines = [line for line in result.stderr.splitlines() if line.startswith("E:")]
        return f"apt-get download {' '.join(packages)}: {' '.join(lines[:2]) or 'it failed'}"
    for package in packages:
        for file in downloads.glob(f"{package}_*.deb"):
            subprocess.run(["dpkg-deb", "-x", str(file), str(folder / "root")], check=True)
            file.unlink()
    return None


def _inside(root: Path) -> None:
    """Links to files of a package mean the unpacked ones: those at the absolute place belong to nobody."""
    for link in root.rglob("*"):
        if link.is_symlink() and (target := link.readlink()).is_absolute():
            unpacked = root / target.relative_to("/")
            if unpacked.exists() or unpacked.is_symlink():
                link.unlink()
                link.symlink_to(unpacked)


if __name__ == "__main__":
    told = provide(Path(sys.argv[1]))
    if told is not None:
        print(f"The Java tests will be skipped: {told}", file=sys.stderr)
