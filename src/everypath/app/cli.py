"""The program `everypath`: small, so that it is up before the rest of the package is loaded."""

from __future__ import annotations

import gc

from everypath.workers.interrupts import listen


def main() -> None:
    """The program."""
    listen()
    # What loading modules makes stays, so that looking for garbage there is in vain.
    gc.set_threshold(1_000_000, 20, 20)
    from everypath.app.start import run

    run()


if __name__ == "__main__":
    main()
