"""Compiles the models: `python -m everypath.languages.java.models.build` writes `models.jar` anew."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HOME = Path(__file__).parent
JAR = HOME / "models.jar"
KINDS = ("whole", "parts")


def compiled() -> dict[str, bytes]:
    """Name in the jar -> class file, from the sources as they are now; needs a JDK."""
    found: dict[str, bytes] = {}
    with tempfile.TemporaryDirectory() as folder:
        for kind in KINDS:
            sources = HOME / "sources" / kind
            out = Path(folder) / kind
            # Models are compiled as parts of the module that they belong to; `whole` is there when `parts` is compiled.
            patched = f"java.base={sources}:{Path(folder) / 'whole'}"
            files = sorted(map(str, sources.rglob("*.java")))
            # String concatenation must not go through classes that are models themselves.
            options = ["-g", "-nowarn", "-XDstringConcat=inline", "--patch-module", patched, "-d", str(out)]
            done = subprocess.run(["javac", *options, *files], capture_output=True, text=True, check=False)
            if done.returncode:
                sys.exit(done.stderr)
            for path in sorted(out.rglob("*.class")):
                found[f"{kind}/{path.relative_to(out).as_posix()}"] = path.read_bytes()
    return found


def main() -> None:
    """Write the jar; the same sources give the same bytes."""
    classes = compiled()
    with zipfile.ZipFile(JAR, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in classes.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    main()
