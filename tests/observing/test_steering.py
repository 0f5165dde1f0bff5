"""What a run that came close says about its inputs steers the search."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from everypath.languages.python.probing.patterns import matching
from everypath.options import Limits, Options
from tests.observing.test_observed import passes, run_on

SOURCES = {
    "a text that is compared after it was computed": """
import inspect
def read(text):
    head, _, rest = inspect.cleandoc(text).partition("|")
    if head == "".join(["zq", "wx"]):
        return rest  # wanted
""",
    "a key of a dict that only the object knows": """
import inspect
class Box:
    def __init__(self):
        self.known = {"qz" * 3: 1}
    def find(self, name):
        inspect.cleandoc("")
        if name in self.known:
            return 7  # wanted
""",
    "a missing key": """
import inspect
def read(options):
    inspect.cleandoc("")
    kind = options["some"]["kind"]
    if kind == 77131:
        return 1  # wanted
""",
    "what a mock answers": """
import inspect
def handle(client):
    inspect.cleandoc("")
    answer = client.connect().fetch(1)
    if answer.status == 20481 and isinstance(answer.body, str):
        return answer.body  # wanted
""",
    "the class that is asked for": """
import inspect, uuid
def show(thing):
    inspect.cleandoc("")
    if isinstance(thing, uuid.UUID):
        return 1  # wanted
""",
    "a type that only a type checker imports": """
from __future__ import annotations
import inspect
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from fractions import Fraction
    from nowhere import Missing
def double(value: Fraction, other: Missing | None = None):
    inspect.cleandoc("")
    if value.limit_denominator(3).numerator == 1:
        return value * 2  # wanted
""",
    "keywords that are passed on to the base class": """
import inspect
class Base:
    def __init__(self, needed, also):
        self.needed = needed
class Derived(Base):
    def __init__(self, size, **kwargs):
        super().__init__(**kwargs)
        self.size = inspect.cleandoc("x")
    def show(self):
        return self.size  # wanted
""",
    "a method of an abstract class": """
import abc, inspect
class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self): ...
    def twice(self):
        inspect.cleandoc("")
        return self.area(), 2  # wanted
""",
    "a method of an object that cannot be made": """
import inspect
class Window:
    def __init__(self):
        raise RuntimeError("no display")
    def title(self, text):
        inspect.cleandoc("")
        if self.shown:
            return text  # wanted
""",
    "a handler of an error that a call of another module raises": """
import inspect, shutil
def find(name):
    inspect.cleandoc("")
    try:
        return shutil.which("x")
    except ZeroDivisionError:
        return 7  # wanted
""",
    "a handler of an error that an input raises": """
import inspect
def call(client):
    inspect.cleandoc("")
    try:
        client.send(1)
    except ConnectionResetError:
        return 7  # wanted
""",
    "what another module answers": """
import inspect, platform
def slow():
    inspect.cleandoc("")
    system = platform.system()
    if system == "Plan9":
        return 7  # wanted
""",
    "a variable of a module": """
import inspect, sys
def ending():
    inspect.cleandoc("")
    if sys.platform == "win32":
        return ".exe"  # wanted
""",
    "a field that no call sets": """
import inspect
class Machine:
    def __init__(self):
        self.state = 0
    def step(self):
        inspect.cleandoc("")
        if self.state == 90210:
            return 1  # wanted
""",
    "elements that a mock gives": """
import inspect
def count(source):
    inspect.cleandoc("")
    total = 0
    for key, value in source.pairs():
        total += 1  # wanted
    return total
""",
    "a module that is not installed": """
import inspect
def show():
    inspect.cleandoc("")
    from nowhere.at_all import draw
    return 7  # wanted
""",
    "a name that only another installation has": """
import inspect
try:
    from nowhere import Widget
except ImportError:
    pass
def show():
    inspect.cleandoc("")
    Widget()
    return 7  # wanted
""",
    "the command line": """
import inspect, sys
def main():
    inspect.cleandoc("")
    if "--quiet-please" in sys.argv[1:]:
        return 7  # wanted
""",
    "a class that a metaclass makes": """
import inspect
class Meta(type):
    def __new__(mcs, name, bases, namespace):
        inspect.cleandoc("")
        made = type.__new__(mcs, name, bases, namespace)
        if made.kind == "odd one":
            made.size = 7  # wanted
        return made
class Base(metaclass=Meta):
    kind = ""
""",
    "a class that is false and compares itself": """
import inspect
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
        inspect.cleandoc("")
        if other is None:
            return 7  # wanted
""",
    "a function that an object holds in a field": """
import inspect
class Wrapper:
    def __init__(self, callback):
        inspect.cleandoc("")
        def write(data):
            return callback(data)  # wanted
        self.write = write
""",
    "a private function that nothing else calls": """
import inspect
def public():
    return inspect.cleandoc("")
def _helper(text):
    inspect.cleandoc("")
    if text == "swordfish":
        return 7  # wanted
""",
    "an error inside of a coroutine": """
import inspect
async def fetch(client):
    inspect.cleandoc("")
    if not client:
        raise LookupError("nobody")  # wanted
    return 1
""",
    "an error inside of a generator": """
import inspect
def rows(source):
    inspect.cleandoc("")
    yield 1
    if not source:
        raise LookupError("nothing")  # wanted
""",
    "a text that can be parsed": """
import inspect, json
def read(text):
    inspect.cleandoc("")
    try:
        data = json.loads(text)
    except ValueError:
        return None
    return [data]  # wanted
""",
    "a pattern whose match is kept in a variable": """
import inspect, re
class Route:
    def __init__(self, pattern):
        self.pattern = re.compile(inspect.cleandoc(pattern) + "%s-[0-9]{3}$" % "zq")
    def find(self, path):
        found = self.pattern.match(path)
        if found is None:
            return None
        return found.group(0)  # wanted
""",
    "a number that is read from a text": """
import inspect, re
def read(text):
    inspect.cleandoc("")
    number = re.match("item (-?[0-9]+)", text)
    if number and int(number[1]) == 90125:
        return 1  # wanted
""",
    "an item of what another module holds": """
import inspect, os
SETTINGS = {"mode": "slow"}
def run():
    inspect.cleandoc("")
    if SETTINGS["mode"] == "qzwx":
        return 1  # wanted
""",
    "bytes that are taken apart": """
import inspect, struct
def receive(connection):
    inspect.cleandoc("")
    version, code = struct.unpack("!HB", connection.read(3))
    if code == 0x5A:
        return version  # wanted
""",
    "the answer of another function": """
import ast, inspect
def is_special(node):
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "qzwx"
def visit(node: ast.Expr):
    inspect.cleandoc("")
    if is_special(node.value):
        return node.value.attr  # wanted
""",
    "a function that an input is handed": """
import inspect
def serve(application):
    inspect.cleandoc("")
    told = {}
    def start(status: str, headers: list):
        told["status"] = int(status.split(" ", 1)[0])  # wanted
    application({}, start)
    return told
""",
    "a stream that comes to an end": """
import inspect
def copy(source):
    inspect.cleandoc("")
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
import dataclasses, inspect
@dataclasses.dataclass(frozen=True)
class Config:
    mode: str = "a"
DEFAULT = Config()
def process(text, config=DEFAULT):
    inspect.cleandoc("")
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
