"""The program `everypath`: small, so that it is up before the rest of the package is loaded."""

from __future__ import annotations

from everypath.app.garbage import collect_hardly_ever


def main() -> None:
    """The program."""
    collect_hardly_ever()
    from everypath.app.start import run

    run()


if __name__ == "__main__":
    main()
