"""The program `everypath`: small, so that it is up before the rest of the package is loaded."""

from __future__ import annotations

import gc


def main() -> None:
    """The program."""
    # Loading makes many objects and next to no garbage.
    gc.set_threshold(50_000, 20, 20)
    from everypath.start import run

    run()


if __name__ == "__main__":
    main()
