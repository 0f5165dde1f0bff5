"""Messages about library code that cannot be followed: why, and what the user can do about it."""

from __future__ import annotations

from everypath.ir.program import Program

_REASONS: tuple[tuple[str, str, str, bool], ...] = (
    (
        "open io.open os.open os.read os.write os.remove os.unlink os.rename os.mkdir os.makedirs os.listdir "
        "os.scandir os.walk os.stat os.path.exists os.path.isfile os.path.isdir os.path.getsize os.path.getmtime "
        "os.chdir pathlib shutil tempfile glob fileinput sqlite3 zipfile tarfile mmap dbm shelve linecache",
        "works with files",
        "read them outside and pass what they hold as a parameter",
        True,
    ),
    ("input sys.stdin getpass code cmd pdb", "reads what somebody types", "pass the text as a parameter", True),
    (
        "subprocess multiprocessing os.system os.popen os.fork os.kill os.execv os.spawnv signal pty webbrowser "
        "posix _posixsubprocess",
        "starts or signals processes",
        "pass what they give as a parameter",
        True,
    ),
    (
        "socket ssl select selectors urllib.request http smtplib ftplib poplib imaplib nntplib telnetlib socketserver "
        "xmlrpc requests httpx aiohttp",
        "uses the network",
        "pass the answer as a parameter",
        True,
    ),
    (
        "threading _thread concurrent queue asyncio sched contextvars",
        "depends on the order in which things run at the same time",
        "for threads there is `everypath race`",
        True,
    ),
    (
        "os.environ os.getenv os.getcwd os.getpid os.uname os.cpu_count platform sys.argv locale.setlocale "
        "locale.getlocale locale.getdefaultlocale locale.localeconv locale.getpreferredencoding locale.getencoding "
        "locale.nl_langinfo locale.currency locale.str locale.format_string locale.atof locale.atoi locale.strcoll "
        "locale.strxfrm site sysconfig pwd grp resource",
        "depends on the machine and its settings",
        "pass the setting as a parameter",
        True,
    ),
    (
        "time datetime calendar.timegm",
        "depends on the clock or the time zone and is none of the functions that a test replaces",
        "use time.time, time.monotonic, datetime.now or date.today, or pass the time as a parameter",
        False,
    ),
    (
        "random secrets uuid",
        "depends on chance and is none of the functions that a test replaces",
        "use the functions of the module itself, or pass what is drawn as a parameter",
        False,
    ),
    ("sys.exit os._exit os.abort exit quit", "ends the process", "raise an exception instead", True),
    (
        "gc weakref ctypes sys traceback importlib atexit tracemalloc faulthandler builtins.id inspect.currentframe "
        "inspect.stack inspect.trace inspect.getframeinfo inspect.getouterframes inspect.getinnerframes",
        "looks into the interpreter",
        "keep it out of the function under test",
        True,
    ),
    (
        "inspect types pickle marshal copyreg",
        "looks into the interpreter",
        "keep it out of the function under test",
        False,
    ),
    (
        "antigravity this idlelib turtle tkinter turtledemo ensurepip venv",
        "opens windows",
        "pass what comes of them as a parameter",
        True,
    ),
)
"""(dotted names, what they do, what to do about it, whether that is reason enough not to run them); the name of a
module stands for all that is in it."""


def is_unsafe(name: str) -> bool:
    """Whether a function of the library is never run while paths are followed, whatever it is given."""
    reason = _reason(name)
    return reason is not None and reason[2]


def refusal(name: str, why: str = "") -> str:
    """The reason why a path ends at a call of the function; `why` is what was found out by running it."""
    reason = _reason(name)
    if reason is not None and (reason[2] or not why):
        return f"calling {name}(), which {reason[0]}; {reason[1]}"
    if why:
        return f"calling {name}() for real: it {why}"
    return (
        f"calling {name}(), which has no model and whose source is not translated "
        "(compiled, too large or too dynamic); a model can be added, see docs/python.md"
    )


def unsteady(name: str) -> str:
    """The reason why a path ends at a call that two processes have run with different results."""
    known = _reason(name) is not None
    return refusal(name, "" if known else "gives something else each time, or on each machine")


def _reason(name: str) -> tuple[str, str, bool] | None:
    """What the longest of the names that stand for the function says."""
    parts = name.split(".")
    heads = {".".join(parts[:count]) for count in range(1, len(parts) + 1)}
    found = [
        (len(known), what, advice, unsafe)
        for names, what, advice, unsafe in _REASONS
        for known in names.split()
        if known in heads
    ]
    return max(found)[1:] if found else None


def foreign_base(program: Program, cls: str) -> str | None:
    """The first class among the bases of a class that is neither translated nor predefined."""
    for base in program.mro(cls):
        known = program.classes.get(base)
        if known is not None and known.external and known.module != "builtins":
            return base
    return None
