"""Messages about library code that cannot be followed: why, and what the user can do about it."""

from __future__ import annotations

from everypath.ir.program import Program

_REASONS: tuple[tuple[str, str, str], ...] = (
    (
        "open io.open os.open os.read os.write os.remove os.unlink os.rename os.mkdir os.makedirs os.listdir "
        "os.scandir os.walk os.stat os.path.exists os.path.isfile os.path.isdir os.path.getsize os.path.getmtime "
        "os.chdir pathlib shutil tempfile glob fileinput sqlite3 zipfile tarfile",
        "works with files",
        "read them outside and pass what they hold as a parameter",
    ),
    ("input sys.stdin getpass", "reads what somebody types", "pass the text as a parameter"),
    (
        "subprocess multiprocessing os.system os.popen os.fork os.kill os.execv os.spawnv signal",
        "starts or signals processes",
        "pass what they give as a parameter",
    ),
    (
        "socket ssl select selectors urllib.request http smtplib ftplib requests httpx aiohttp",
        "uses the network",
        "pass the answer as a parameter",
    ),
    (
        "threading _thread concurrent queue asyncio",
        "depends on the order in which things run at the same time",
        "for threads there is `everypath race`",
    ),
    (
        "os.environ os.getenv os.getcwd os.getpid os.uname os.cpu_count platform locale sys.argv",
        "depends on the machine and its settings",
        "pass the setting as a parameter",
    ),
    (
        "time datetime calendar.timegm",
        "depends on the clock or the time zone and is none of the functions that a test replaces",
        "use time.time, time.monotonic, datetime.now or date.today, or pass the time as a parameter",
    ),
    (
        "random secrets uuid",
        "depends on chance and is none of the functions that a test replaces",
        "use the functions of the module itself, or pass what is drawn as a parameter",
    ),
    ("sys.exit os._exit os.abort exit quit", "ends the process", "raise an exception instead"),
    (
        "gc inspect weakref ctypes sys traceback types importlib pickle marshal copyreg atexit tracemalloc",
        "looks into the interpreter",
        "keep it out of the function under test",
    ),
)
"""(dotted names, what they do, what to do about it); the name of a module stands for all that is in it."""


def refusal(name: str) -> str:
    """The reason why a path ends at a call of the function."""
    parts = name.split(".")
    heads = {".".join(parts[:count]) for count in range(1, len(parts) + 1)}
    found = [
        (len(known), what, advice) for names, what, advice in _REASONS for known in names.split() if known in heads
    ]
    if found:
        _, what, advice = max(found)
        return f"calling {name}(), which {what}; {advice}"
    return (
        f"calling {name}(), which has no model and whose source is not translated "
        "(compiled, too large or too dynamic); a model can be added, see docs/python.md"
    )


def foreign_base(program: Program, cls: str) -> str | None:
    """The first class among the bases of a class that is neither translated nor predefined."""
    for base in program.mro(cls):
        known = program.classes.get(base)
        if known is not None and known.external and known.module != "builtins":
            return base
    return None
