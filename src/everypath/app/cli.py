"""The program `everypath`: small, so that it is up before the rest of the package is loaded."""

from __future__ import annotations

import gc


def collect_rarely() -> None:
    """Have garbage looked for less often: loading and exploring make many objects, and hardly any in cycles."""
    gc.set_threshold(50_000, 20, 20)


def main() -> None:
    """The program."""
    collect_rarely()
    from everypath.app.start import run

    run()


if __name__ == "__main__":
    main()
