"""A printer that a semaphore gives to one job at a time; refilling it does not wait for its turn."""

from __future__ import annotations

import threading


class Printer:
    """Prints while there is paper."""

    def __init__(self, paper: int = 3) -> None:
        self._paper = paper
        self._printed = 0
        self._turn = threading.Semaphore(1)

    def print_pages(self, pages: int) -> int:
        """Print as many pages as there is paper for; returns how many."""
        with self._turn:
            done = max(0, min(pages, self._paper))
            self._paper -= done
            self._printed += done
            return done

    def refill(self, sheets: int) -> None:
        """Add paper."""
        self._paper += sheets

    def status(self) -> tuple[int, int]:
        """The paper that is left and the pages that were printed."""
        with self._turn:
            return self._paper, self._printed


class SafePrinter:
    """Prints while there is paper."""

    def __init__(self, paper: int = 3) -> None:
        self._paper = paper
        self._printed = 0
        self._turn = threading.Semaphore(1)

    def print_pages(self, pages: int) -> int:
        """Print as many pages as there is paper for; returns how many."""
        with self._turn:
            done = max(0, min(pages, self._paper))
            self._paper -= done
            self._printed += done
            return done

    def refill(self, sheets: int) -> None:
        """Add paper."""
        with self._turn:
            self._paper += sheets

    def status(self) -> tuple[int, int]:
        """The paper that is left and the pages that were printed."""
        with self._turn:
            return self._paper, self._printed
