"""A page's data as one HTML file that needs nothing else: styles, scripts and data are inside it.

Strings of the program under test are data and never markup. The head is JSON in a script element that is not executed,
escaped so that nothing in it can end that element; the pieces are compressed. The scripts put texts on the page with
`textContent` only, and a content security policy lets nothing run but these scripts, and nothing be loaded at all.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from functools import cache
from importlib import resources
from typing import Any

from everypath.report.page.document import Document

GENERATOR = '<meta name="generator" content="Everypath">'
"""By which a page is known to be one of ours."""
STYLES = ("base.css", "views.css", "drawings.css")
LIBRARIES = ("d3-hierarchy.min.js", "dagre.min.js")
SCRIPTS = (
    "elements.js",
    "values.js",
    "data.js",
    "heap.js",
    "stepping.js",
    "source.js",
    "tree.js",
    "schedules.js",
    "timeline.js",
    "case.js",
    "cases.js",
    "overview.js",
    "coverage.js",
    "live.js",
    "index.js",
    "page.js",
)
"""In the order in which they are put together; each may use what those before it define."""


def render(document: Document, *, live: bool = False) -> str:
    """The file; a `live` page may talk to the server that it came from."""
    style, script = styles(), scripts()
    connect = "'self'" if live else "'none'"
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        f"connect-src {connect}; img-src data:; base-uri 'none'; form-action 'none'"
    )
    pieces = "\n".join(
        f'<script type="application/gzip" id="piece-{number}">{packed(piece)}</script>'
        for number, piece in enumerate(document.pieces)
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
{GENERATOR}
<title>Everypath</title>
<style>{style}</style>
</head>
<body>
<noscript>This page shows test cases with the help of JavaScript, which is turned off here.</noscript>
<div id="page"></div>
<script type="application/json" id="head">{escaped(document.head)}</script>
{pieces}
<script>{script}</script>
</body>
</html>
"""


def escaped(value: Any) -> str:
    """JSON that can stand in a script element: nothing in it looks like a tag, a comment or the end of a line."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def packed(value: Any) -> str:
    """JSON, compressed, in letters and digits; the same for the same value."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(gzip.compress(text.encode("ascii"), 6, mtime=0)).decode("ascii")


@cache
def styles() -> str:
    """All styles."""
    return "\n".join(_asset("assets", name) for name in STYLES)


@cache
def scripts() -> str:
    """All scripts: the libraries, then our own in a scope of their own."""
    libraries = "\n".join(_asset("vendor", name).partition("//# sourceMappingURL")[0] for name in LIBRARIES)
    own = "\n".join(_asset("assets", name) for name in SCRIPTS)
    return f'{libraries}\n(() => {{\n"use strict";\n{own}\n}})();\n'


def _asset(folder: str, name: str) -> str:
    return resources.files("everypath.report.page").joinpath(folder, name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    # Browsers count the characters between the tags, with line ends as they are in the file.
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
