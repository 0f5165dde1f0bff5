"""What a run that came close says about its inputs steers the search."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from everypath.languages.python.probing.patterns import matching
from everypath.options import Limits, Options
from tests.observing.test_observed import passes, run_on

SOURCES = {
    "what a call gives that is gone through in a list": """
import ctypes
def names(tree):
    ctypes.c_wchar_p("").value
    found = []
    for place, node in enumerate(list(tree.find_all("name"))):
        found.append(node.parent.find("class"))
        if place == 1 and len(found) == 2:
            return found  # wanted
""",
    "how much is in an object that the function makes and somebody else fills": """
import ctypes, email.message
def parse(parser, text):
    ctypes.c_wchar_p("").value
    page = email.message.Message()
    parser.fill(page, text)
    if len(page) == 2:
        return page  # wanted
""",
    "an element of an object that somebody filled": """
import ctypes
class Element:
    def __init__(self):
        self.children = []
    def append(self, child):
        self.children.append(child)
    def __getitem__(self, place):
        return self.children[place]
def show(element: Element):
    ctypes.c_wchar_p("").value
    title = element[1]
    return title.text  # wanted
""",
    "an input that holds what can never be made": """
import ctypes
class Cable:
    def __init__(self, place, size, kind):
        if size != "".join(map(chr, range(97, 123))):
            raise RuntimeError(size)
class Engine:
    def __init__(self, cable: Cable, second: Cable):
        self.cable = cable
        self.power = 3
class Car:
    def __init__(self, engine: Engine, trailer: Engine):
        self.engine = engine
        self.trailer = trailer
    def drive(self, other: 'Car'):
        ctypes.c_wchar_p("").value
        if self.engine.power + self.trailer.power + other.engine.power == 9:
            return 7  # wanted
""",
    "a text that the docstring shows": """
import ctypes, zlib
def read(text):
    '''Read a ticket.

    For example::

        <<ticket 17>>
        to: Qz

    is one.
    '''
    if zlib.crc32(ctypes.c_wchar_p(text).value.encode()) == 1265724399:
        return 1  # wanted
""",
    "what only a server that never ends keeps from counting": """
import ctypes, sys, threading
class Server:
    def run(self):
        threading.Event().wait()
def main():
    if len(sys.argv) > 1:
        name = ctypes.c_wchar_p(sys.argv[1]).value
        server = Server()
        server.run()
        return name  # wanted
""",
    "a text that is compared after it was computed": """
import ctypes
def read(text):
    head, _, rest = ctypes.c_wchar_p(text).value.partition("|")
    if head == "".join(["zq", "wx"]):
        return rest  # wanted
""",
    "a key of a dict that only the object knows": """
import ctypes
class Box:
    def __init__(self):
        self.known = {"qz" * 3: 1}
    def find(self, name):
        ctypes.c_wchar_p("").value
        if name in self.known:
            return 7  # wanted
""",
    "a missing key": """
import ctypes
def read(options):
    ctypes.c_wchar_p("").value
    kind = options["some"]["kind"]
    if kind == 77131:
        return 1  # wanted
""",
    "what a mock answers": """
import ctypes
def handle(client):
    ctypes.c_wchar_p("").value
    answer = client.connect().fetch(1)
    if answer.status == 20481 and isinstance(answer.body, str):
        return answer.body  # wanted
""",
    "the class that is asked for": """
import ctypes, uuid
def show(thing):
    ctypes.c_wchar_p("").value
    if isinstance(thing, uuid.UUID):
        return 1  # wanted
""",
    "types that only comments give": """
import ctypes
class Order:
    def __init__(self, prices):
        self.prices = prices
def total(
    orders,  # type: list[Order]
    limits=None,  # type: dict[str, int]
):
    # type: (...) -> int
    ctypes.c_wchar_p("").value
    if len(orders) > 1 and isinstance(orders[1], Order) and "top" in limits:
        return 1  # wanted
""",
    "a type that only a type checker imports": """
from __future__ import annotations
import ctypes
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from fractions import Fraction
    from nowhere import Missing
def double(value: Fraction, other: Missing | None = None):
    ctypes.c_wchar_p("").value
    if value.limit_denominator(3).numerator == 1:
        return value * 2  # wanted
""",
    "keywords that are passed on to the base class": """
import ctypes
class Base:
    def __init__(self, needed, also):
        self.needed = needed
class Derived(Base):
    def __init__(self, size, **kwargs):
        super().__init__(**kwargs)
        self.size = ctypes.c_wchar_p("x").value
    def show(self):
        return self.size  # wanted
""",
    "a method of an abstract class": """
import abc, ctypes
class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self): ...
    def twice(self):
        ctypes.c_wchar_p("").value
        return self.area(), 2  # wanted
""",
    "a method of an object that cannot be made": """
import ctypes
class Window:
    def __init__(self):
        raise RuntimeError("no display")
    def title(self, text):
        ctypes.c_wchar_p("").value
        if self.shown:
            return text  # wanted
""",
    "a handler of an error that a call of another module raises": """
import ctypes, shutil
def find(name):
    ctypes.c_wchar_p("").value
    try:
        return shutil.which("x")
    except ZeroDivisionError:
        return 7  # wanted
""",
    "a handler of an error that an input raises": """
import ctypes
def call(client):
    ctypes.c_wchar_p("").value
    try:
        client.send(1)
    except ConnectionResetError:
        return 7  # wanted
""",
    "what another module answers": """
import ctypes, platform
def slow():
    ctypes.c_wchar_p("").value
    system = platform.system()
    if system == "Plan9":
        return 7  # wanted
""",
    "a variable of a module": """
import ctypes, sys
def ending():
    ctypes.c_wchar_p("").value
    if sys.platform == "win32":
        return ".exe"  # wanted
""",
    "a field that no call sets": """
import ctypes
class Machine:
    def __init__(self):
        self.state = 0
    def step(self):
        ctypes.c_wchar_p("").value
        if self.state == 90210:
            return 1  # wanted
""",
    "elements that a mock gives": """
import ctypes
def count(source):
    ctypes.c_wchar_p("").value
    total = 0
    for key, value in source.pairs():
        total += 1  # wanted
    return total
""",
    "a module that is not installed": """
import ctypes
def show():
    ctypes.c_wchar_p("").value
    from nowhere.at_all import draw
    return 7  # wanted
""",
    "a name that only another installation has": """
import ctypes
try:
    from nowhere import Widget
except ImportError:
    pass
def show():
    ctypes.c_wchar_p("").value
    Widget()
    return 7  # wanted
""",
    "the command line": """
import ctypes, sys
def main():
    ctypes.c_wchar_p("").value
    if "--quiet-please" in sys.argv[1:]:
        return 7  # wanted
""",
    "a class that a metaclass makes": """
import ctypes
class Meta(type):
    def __new__(mcs, name, bases, namespace):
        ctypes.c_wchar_p("").value
        made = type.__new__(mcs, name, bases, namespace)
        if made.kind == "odd one":
            made.size = 7  # wanted
        return made
class Base(metaclass=Meta):
    kind = ""
""",
    "a class that is false and compares itself": """
import ctypes
class Meta(type):
    def __eq__(cls, other):
        return cls() == other
    def __hash__(cls):
        return 1
    def __len__(cls):
        return 0
class Odd(metaclass=Meta):
    def __init__(self, number):
        self.number = number
    def look(self, other):
        ctypes.c_wchar_p("").value
        if other is None:
            return 7  # wanted
""",
    "a function that an object holds in a field": """
import ctypes
class Wrapper:
    def __init__(self, callback):
        ctypes.c_wchar_p("").value
        def write(data):
            return callback(data)  # wanted
        self.write = write
""",
    "a private function that nothing else calls": """
import ctypes
def public():
    return ctypes.c_wchar_p("").value
def _helper(text):
    ctypes.c_wchar_p("").value
    if text == "swordfish":
        return 7  # wanted
""",
    "an error inside of a coroutine": """
import ctypes
async def fetch(client):
    ctypes.c_wchar_p("").value
    if not client:
        raise LookupError("nobody")  # wanted
    return 1
""",
    "an error inside of a generator": """
import ctypes
def rows(source):
    ctypes.c_wchar_p("").value
    yield 1
    if not source:
        raise LookupError("nothing")  # wanted
""",
    "a text that can be parsed": """
import ctypes, json
def read(text):
    ctypes.c_wchar_p("").value
    try:
        data = json.loads(text)
    except ValueError:
        return None
    return [data]  # wanted
""",
    "a pattern whose match is kept in a variable": """
import ctypes, re
class Route:
    def __init__(self, pattern):
        self.pattern = re.compile(ctypes.c_wchar_p(pattern).value + "%s-[0-9]{3}$" % "zq")
    def find(self, path):
        found = self.pattern.match(path)
        if found is None:
            return None
        return found.group(0)  # wanted
""",
    "a number that is read from a text": """
import ctypes, re
def read(text):
    ctypes.c_wchar_p("").value
    number = re.match("item (-?[0-9]+)", text)
    if number and int(number[1]) == 90125:
        return 1  # wanted
""",
    "an item of what another module holds": """
import ctypes, os
SETTINGS = {"mode": "slow"}
def run():
    ctypes.c_wchar_p("").value
    if SETTINGS["mode"] == "qzwx":
        return 1  # wanted
""",
    "bytes that are taken apart": """
import ctypes, struct
def receive(connection):
    ctypes.c_wchar_p("").value
    version, code = struct.unpack("!HB", connection.read(3))
    if code == 0x5A:
        return version  # wanted
""",
    "the answer of another function": """
import ast, ctypes
def is_special(node):
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "qzwx"
def visit(node: ast.Expr):
    ctypes.c_wchar_p("").value
    if is_special(node.value):
        return node.value.attr  # wanted
""",
    "a function that an input is handed": """
import ctypes
def serve(application):
    ctypes.c_wchar_p("").value
    told = {}
    def start(status: str, headers: list):
        told["status"] = int(status.split(" ", 1)[0])  # wanted
    application({}, start)
    return told
""",
    "a stream that comes to an end": """
import ctypes
def copy(source):
    ctypes.c_wchar_p("").value
    parts = 0
    while True:
        block = source.read(1024)
        if not block:
            break
        parts += 1
    if parts:
        return parts  # wanted
    raise LookupError
""",
    "an argument that is left to its default": """
import ctypes, dataclasses
@dataclasses.dataclass(frozen=True)
class Config:
    mode: str = "a"
DEFAULT = Config()
def process(text, config=DEFAULT):
    ctypes.c_wchar_p("").value
    if config.mode == "".join(["zq", "wx"]):
        return text  # wanted
""",
}


def test_texts_that_a_pattern_matches_take_its_alternatives() -> None:
    found = list(matching(re.compile(r"(?P<quote>['\"])(a|b[0-9]+)(?P=quote)(?:;|$)")))
    assert {"'a';", '"b00"'} <= set(found)
    assert len(found) == len(set(found)) >= 3
    assert all(re.search(r"^(['\"])(a|b[0-9]+)\1(;|$)", text) for text in found)


@pytest.mark.parametrize("name", SOURCES)
def test_the_search_finds(name: str, tmp_path: Path) -> None:
    source = SOURCES[name]
    line = next(number for number, text in enumerate(source.splitlines(), 1) if "# wanted" in text)
    run = run_on(tmp_path, source, Options(limits=Limits(time=4), select="branches", seed=1))
    assert line in {step.line for case in run.cases for step in case.trace}
    assert passes(tmp_path, run) == ""


CALLED = """
import ctypes, zlib
class Price:
    def __init__(self, amount, kind):
        if zlib.crc32(kind.encode()) != 1265724399:
            raise ValueError(kind)
        self.amount = amount
def parse(text, price):
    ctypes.c_wchar_p("").value
    if price.amount == 7331 and zlib.crc32(text.encode()) == 3904355907:
        return 1  # wanted
def made_by(function):
    def inner(value):
        return function(value)
    return inner
made = made_by(abs)
"""
CALLER = """
import pytest
import subject_under_test as sample
from subject_under_test import Price as Cost, made

made(1)
def test_made():
    made(1)

@pytest.mark.parametrize("text, n", [("b", 0), pytest.param("a", 1)])
def test_parse(text, n, unknown):
    kind = "<<ticket 17>>\\nto: Qz"
    assert sample.parse(text, Cost(7331, kind=kind)) == n
"""


@pytest.mark.parametrize("place", ["tests/test_it.py", "test_it.py", "use.py"])
def test_the_search_begins_with_what_the_project_itself_does(place: str, tmp_path: Path) -> None:
    (tmp_path / place).parent.mkdir(exist_ok=True)
    (tmp_path / place).write_text(CALLER)
    line = next(number for number, text in enumerate(CALLED.splitlines(), 1) if "# wanted" in text)
    run = run_on(tmp_path, CALLED, Options(limits=Limits(time=2), select="branches", seed=1))
    assert line in {step.line for case in run.cases for step in case.trace}
