"""Generated files whose modules no longer exist: they are removed, unless a person has written something in them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from everypath.app.heads import origin_in
from everypath.errors import BadInput


def without_module(folder: Path, below: Sequence[Path]) -> Iterator[tuple[Path, list[str]]]:
    """The generated files in a folder whose modules were below one of some folders and are gone.

    With the names of what a person has written in each.
    """
    # Few runs find such files.
    from everypath.languages.python.writers.ownership import read_earlier

    for file in sorted(folder.glob("test_*.py")):
        with contextlib.suppress(BadInput, OSError):
            origin = origin_in(str(file))
            if origin is None:
                continue
            depth = len(Path(origin.file).parts) - 1
            top = file.absolute().parents[min(depth, len(file.absolute().parents) - 1)]
            places = {top / target.partition("::")[0] for target in origin.targets}
            if any(place.exists() or not any(place.is_relative_to(each) for each in below) for place in places):
                continue
            if not all(place.suffix == ".py" for place in places):
                continue
            earlier = read_earlier(file.read_text(encoding="utf-8"), lambda _: False, lambda _: False)
            yield file, [each.name or each.text for each in earlier.theirs]
