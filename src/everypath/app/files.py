"""Writing emitted text to disk: whole or not at all."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

from everypath.errors import BadInput, Span


def write_text(path: Path, text: str) -> None:
    """Put the text into the file in one step: a reader sees the old file or the new one, never a part."""
    temporary: str | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            raise BadInput(f"{path} is a folder; name a file with -o", Span(str(path)))
        hidden = f"{path.parent}{os.sep}.{path.name}.{os.getpid():x}{time.time_ns():x}.tmp"
        descriptor = os.open(hidden, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        temporary = hidden
        # Literals are escaped already; a comment may quote a message that no encoding can hold.
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(text)
        os.chmod(temporary, _mode(path))
        os.replace(temporary, path)
        temporary = None
    except OSError as error:
        reason = error.strerror or str(error)
        raise BadInput(f"cannot write {path}: {reason}; choose another place with -o", Span(str(path))) from error
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


def _mode(path: Path) -> int:
    """The mode of the file that is replaced, else what the user's mask leaves."""
    try:
        return path.stat().st_mode & 0o777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
