"""The program `everypath`: small, so that it is up before the rest of the package is loaded.

Until it listens for interrupts, one of them would end in a traceback, so that not even `__future__` is imported before.
"""

import os

_INTERRUPTED = 130
"""As `exit_codes.py` has it, which is not loaded yet."""

try:
    import gc

    from everypath.app.own_modules import load_directly
    from everypath.workers.interrupts import listen
except KeyboardInterrupt:
    os._exit(_INTERRUPTED)


def main() -> None:
    """The program."""
    try:
        listen()
        # What loading modules makes stays, so that looking for garbage there is in vain.
        gc.set_threshold(1_000_000, 20, 20)
        load_directly()
        from everypath.app.start import run

        run()
    except KeyboardInterrupt:
        # The commands are not even loaded, so there is nothing to keep.
        os._exit(_INTERRUPTED)


if __name__ == "__main__":
    main()
