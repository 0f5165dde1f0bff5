"""`python -m everypath` is the command line."""

import os
import sys

# `-m` puts the working directory first on the import path: a `json.py` of the user's must not become ours.
try:
    here = os.getcwd()
except OSError:
    here = ""
if not sys.flags.safe_path and sys.path[0] in ("", here):
    del sys.path[0]

from everypath.app.cli import main

main()
