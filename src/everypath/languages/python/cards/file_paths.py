"""The paths of `pathlib`, as far as they are computations with text; what asks the file system is refused."""

from __future__ import annotations

from everypath.languages.python.cards.card import HostCard, with_module

_PURE = "PurePath"


def _path(value: object) -> str:
    """A path of this machine is what `Path` gives where the test runs."""
    return f"pathlib.Path{repr(value).removeprefix(type(value).__name__)}"


CARDS = (
    HostCard("pathlib.Path", _path, computes=_PURE, by_attributes=True),
    HostCard("pathlib.PosixPath", _path, computes=_PURE, called=False),
    HostCard("pathlib.WindowsPath", expression=_path, computes=_PURE, is_input=False, called=False),
    HostCard("pathlib.PurePath", with_module),
    HostCard("pathlib.PurePosixPath", with_module),
    HostCard("pathlib.PureWindowsPath", with_module),
)
