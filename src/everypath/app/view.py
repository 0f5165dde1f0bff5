"""The command `view`: shows suites as a page, from a file or, without one, from a small server."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TextIO

from everypath.app.exit_codes import DONE
from everypath.app.pages.gathering import Gathered, gather, gather_files
from everypath.app.pages.writing import check_page, write_pages
from everypath.app.stored import folder_of
from everypath.report.streams import complain, say
from everypath.workers.interrupts import end, interruptible

PAGES = "pages"
"""The folder beside the suites where pages go that nobody names a file for."""


def serve_command(port: int, browser: bool, allow_io: bool, folder: Path | None = None) -> int:
    """Serve the pages of this folder's suites until Ctrl-C."""
    from everypath.app.pages.project import Project
    from everypath.app.pages.serving import Server

    stored = folder or folder_of(None)
    server = Server(Project(Path(), allow_io, stored), port)
    if not any(stored.glob("*.json")):
        complain(f"note: there are no suites in {stored}/ yet; `everypath generate` stores them there")
    try:
        with interruptible():
            say(f"serving {server.address}")
            say("Ctrl-C ends it; whoever has the address can look at the pages and have cases run")
            sys.stdout.flush()
            if browser:
                open_browser(server.address, server.address)
            server.run()
    except KeyboardInterrupt:
        end()
    return DONE


def view_command(name: str, report: str | None, browser: bool, allow_io: bool, folder: Path | None = None) -> int:
    """Write the page of what the name leads to, and open it."""
    if report is not None:
        check_page(report)
    stored = folder or folder_of(None)
    gathered = gather(name, stored)
    for problem in gathered.unusable:
        complain(f"note: left out: {problem}")
    path = write_pages(gathered, report or _usual(gathered, stored), allow_io)
    say(f"wrote {path}")
    if browser and report is None:
        open_browser(path.resolve().as_uri(), str(path))
    return DONE


def write_report(
    title: str, paths: list[Path], destination: str, allow_io: bool = False, stream: TextIO | None = None
) -> None:
    """Write the page about suites that were stored just now, and say where it is."""
    if not paths:
        complain(f"note: {destination} was not written, because there is no case to show")
        return
    say(f"wrote {write_pages(gather_files(title, paths), destination, allow_io)}", stream)


def open_browser(address: str, shown: str) -> None:
    """Open an address; where that is not possible, say what to open."""
    # Only pages are opened.
    import webbrowser

    # On a machine without a screen a browser for terminals would take this one over.
    windowed = os.name == "nt" or "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ or _is_mac()
    try:
        opened = windowed and webbrowser.open(address)
    except webbrowser.Error:
        opened = False
    if not opened:
        say(f"no browser could be opened; open {shown} yourself")


def _is_mac() -> bool:
    return sys.platform == "darwin"


def _usual(gathered: Gathered, stored: Path) -> str:
    folder = stored / PAGES
    return str(folder / gathered.groups[0].file_name if len(gathered.groups) == 1 else folder)
