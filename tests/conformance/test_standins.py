"""Stand-ins: what is handed in as an interface or a function answers in every way that the code tells apart."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everypath.cases.model import CallSuite, Literal, Raised, Returned
from everypath.generate.run import generate
from everypath.options import Limits, Options
from tests.rendered import rendered

HEADER = """
from __future__ import annotations
import copy, logging, pickle, sqlite3
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, overload

T = TypeVar("T")
R = TypeVar("R")
P = ParamSpec("P")

class Gone(Exception):
    def __init__(self, key: str, code: int) -> None:
        super().__init__(key)
        self.code = code

class Repo(Protocol):
    def load(self, key: str) -> int | None: ...
    def save(self, key: str, value: int) -> None: ...
    @property
    def limit(self) -> int: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[int]: ...
    async def fetch(self, key: str) -> int: ...

class Mailer(ABC):
    retries = 3
    @abstractmethod
    def send(self, to: str) -> None: ...
    def notify(self, to: str) -> None:
        self.send(to)

class Quiet(Mailer):
    level = 1
    def send(self, to: str) -> None:
        pass

class Loud(Quiet):
    level = 2

class Bare(Protocol):
    def get(self, key): ...

@dataclass
class Order:
    id: str
    total: int

class Stored(Protocol[T]):
    def get(self, key: str) -> T | None: ...
    def all(self) -> list[T]: ...

class Async(Protocol):
    def later(self, key: str) -> Awaitable[int]: ...

class Overloaded(Protocol):
    @overload
    def get(self, key: int) -> int: ...
    @overload
    def get(self, key: str) -> str: ...

class Called(Protocol):
    def __call__(self, n: int) -> int: ...

class Table(Protocol):
    size: int
    def __getitem__(self, key: str) -> int: ...

class Managed(Protocol):
    def __enter__(self) -> Managed: ...
    def __exit__(self, *details: object) -> None: ...
    def run(self) -> int: ...
"""


def _suite(folder: Path, name: str, body: str, loops: int = 1) -> CallSuite:
    path = folder / f"{name}.py"
    path.write_text(HEADER + dedent(body), encoding="utf-8")
    (suite,) = generate([f"{path}::f"], Options(limits=Limits(loops=loops))).suites
    assert [p for p in suite.problems if p.kind in ("defect", "unsupported")] == []
    return suite


FOLLOWED = {
    "due": (2, "def f(clock: Callable[[], float], limit: float):\n    return clock() > limit"),
    "three_ways": (3, """
        def f(repo: Repo, key: str):
            found = repo.load(key)
            if found is None:
                return "none"
            return "many" if found > 3 else "few"
        """),
    "left_to_subclasses": (2, """
        class Scale:
            def weigh(self, name: str) -> int: ...
        def f(scale: Scale, name: str):
            return scale.weigh(name) > 3
        """),
    "retried": (3, """
        def f(get: Callable[[str], str], url: str):
            for _ in range(2):
                try:
                    return get(url)
                except ConnectionError:
                    continue
            raise RuntimeError("no")
        """),
    "kinds_of_one_class": (4, """
        class Failed(Exception):
            again = False
        class Slow(Failed):
            again = True
        class Refused(Failed):
            pass
        def f(get: Callable[[], int]):
            try:
                return get()
            except Failed as failed:
                if failed.again:
                    return -1
                return -2 if isinstance(failed, Refused) else -3
        """),
    "clauses": (4, """
        FAILURES = (OSError, KeyError)
        def f(repo: Repo):
            try:
                try:
                    repo.save("a", 1)
                except Gone as gone:
                    return gone.code
            except FAILURES:
                return "failed"
            except Exception:
                return "other"
            return "saved"
        """),
    "bare_except": (2, """
        def f(get: Callable[[], int], log: list[str]):
            try:
                return get()
            except:
                log.append("failed")
                raise
        """),
    "generator_of_a_with_block": (5, """
        @contextmanager
        def undone(repo: Repo):
            try:
                yield
            except OSError:
                repo.save("undone", 0)
                raise
        @contextmanager
        def ignored():
            try:
                yield
            except KeyError:
                pass
        def f(repo: Repo):
            with ExitStack() as stack:
                stack.enter_context(ignored())
                with undone(repo):
                    return "many" if repo.load("a") == 3 else "few"
            return "ignored"
        """),
    "generator_of_an_asynchronous_with_block": (4, """
        @asynccontextmanager
        async def undone(repo: Repo):
            repo.save("begun", 0)
            try:
                yield repo
            except KeyError:
                repo.save("ignored", 0)
            except OSError as error:
                raise RuntimeError("undone") from error
        async def f(repo: Repo):
            async with undone(repo) as same:
                if await same.fetch("a") == 3:
                    return "many"
                return "few"
            return "ignored"
        """),
    "manager_that_asks_for_the_error": (4, """
        class Unit:
            def __enter__(self):
                self.state = "open"
                return self
            def __exit__(self, kind, error, trace):
                if kind is not None and issubclass(kind, KeyError):
                    self.state = "unknown"
                    return True
                if isinstance(error, OSError):
                    self.state = "failed"
                    return True
                self.state = "committed" if error is None else "rolled back"
                return False
        def f(repo: Repo):
            with Unit() as unit:
                repo.save("a", 1)
            return unit.state
        """),
    "thrown_again_and_caught_further_out": (3, """
        def f(repo: Repo, log: list[str]):
            try:
                try:
                    repo.save("a", 1)
                except Exception:
                    log.append("failed")
                    raise
            except KeyError:
                return "key"
            return "saved"
        """),
    "finally_that_decides": (2, """
        def f(repo: Repo, log: list[str]):
            done = False
            try:
                repo.save("a", 1)
                done = True
            finally:
                if not done:
                    log.append("undone")
        """),
    "a_property_is_pure": (2, "def f(repo: Repo, n: int):\n    return n < repo.limit and n < repo.limit"),
    "a_size_is_pure": (2, "def f(repo: Repo):\n    return len(repo) > 2 and len(repo) > 2"),
    "implementations_are_tried_as_well": (2, "def f(mailer: Mailer):\n    mailer.notify('a')\n    return 1"),
    "awaited": (2, "async def f(repo: Repo):\n    return 1 if await repo.fetch('a') > 3 else 2"),
    "by_use": (2, "def f(callback, x: int):\n    return 'big' if callback(x) > 3 else 'small'"),
    "without_annotations": (2, "def f(bare: Bare):\n    return 'big' if bare.get('a') > 3 else 'small'"),
    "repository_of_orders": (3, """
        def f(repo: Stored[Order], key: str):
            found = repo.get(key)
            if found is None:
                return "none"
            return "big" if found.total > 10 else "small"
        """),
    "types_filled_in_by_the_interface_below": (3, """
        class Orders(Stored[Order], Protocol):
            pass
        def f(orders: Orders):
            return any(order.total > 10 for order in orders.all()[:1])
        """),
    "filled_in_and_never_looked_at": (2, """
        class Desk:
            def __init__(self, orders: Stored[Order], clock: Callable[[], float] | None = None) -> None:
                self.orders = orders
                self.clock = clock or (lambda: 1.5)
        def f(desk: Desk, limit: float):
            return desk.clock() > limit
        """),
    "types_filled_in_for_a_class": (2, """
        class Box(Generic[T]):
            def __init__(self, kept: T) -> None:
                self.kept: T = kept
        def f(box: Box[Order]):
            return "big" if box.kept.total > 10 else "small"
        """),
    "fits_without_inheriting": (3, """
        class Pricing(Protocol):
            rate: float
            def price(self, n: int) -> float: ...
        class Fixed:
            rate = 2.0
            def price(self, n: int) -> float:
                return 5.0 if n > 10 else 7.0
        class Other:
            def price(self, n: int) -> float:
                return 1.0
        def f(pricing: Pricing, n: int):
            return pricing.price(n) * pricing.rate
        """),
    "awaited_although_no_coroutine": (2, "async def f(a: Async):\n    return 1 if await a.later('a') > 3 else 2"),
    "awaited_function": (2, """
        async def f(get: Callable[[str], Awaitable[int]]):
            return 1 if await get("a") > 3 else 2
        """),
    "coroutine_function": (3, """
        async def f(get: Callable[[str], "Coroutine[Any, Any, int]"]):
            try:
                return 1 if await get("a") > 3 else 2
            except OSError:
                return 0
        """),
    "parameters_of_a_function": (2, """
        def f(call: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R | None:
            try:
                return call()
            except ValueError:
                return None
        """),
    "overloads": (2, "def f(o: Overloaded):\n    return 'a' if o.get('k').startswith('x') else 'b'"),
    "class_or_one_below_it": (2, "def f(cls: type[Quiet]):\n    return 'loud' if cls.level > 1 else 'quiet'"),
    "called": (2, "def f(g: Called, n: int):\n    return g(n) > n"),
    "indexed": (2, "def f(table: Table):\n    return 'big' if table['k'] > 3 else 'small'"),
    "entered": (2, """
        def f(manager: Managed):
            with manager as entered:
                return "big" if entered.run() > 3 else "small"
        """),
    "attributes": (2, "def f(table: Table):\n    return 'big' if table.size > 3 else 'small'"),
    "attributes_that_are_set": (2, """
        def f(table: Table, repo: Repo, db: sqlite3.Connection):
            db.row_factory = sqlite3.Row
            table.size = table.size + 1
            repo.limit = table.size
            return "big" if repo.limit > 3 else "small"
        """),
    "row_of_unknown_type": (3, """
        def f(fetch: Callable[[], Any]):
            row = fetch()
            if row is None:
                return "none"
            return "big" if row[1] > 3 else "small"
        """),
    "text_of_unknown_type": (2, """
        def f(fetch: Callable):
            return "x" if fetch().startswith("x") else "other"
        """),
    "list_of_unknown_type": (3, """
        def f(fetch: Callable):
            for each in fetch():
                return "big" if each > 3 else "small"
            return "none"
        """),
    "database": (3, """
        def f(db: sqlite3.Connection, who: str):
            with db:
                rows = db.execute("select n, m from t where who = ?", (who,)).fetchall()
            for n, m in rows:
                return 1 if n > m else 2
            return 0
        """),
    "row_or_nothing": (2, """
        def f(db: sqlite3.Connection, who: str):
            row = db.execute("select n from t where who = ?", (who,)).fetchone()
            return row[0] if row else 0
        """),
    "first_of_several_columns": (3, """
        def f(db: sqlite3.Connection):
            row = db.execute("select n, m from t").fetchone()
            if not row:
                return 0
            n, m = row
            return 1 if n > m else 2
        """),
    "compared_with_texts": (4, """
        def f(post: Callable[[str], dict[str, Any]]):
            answer = post("/messages")
            if answer.get("status") in ("rejected", "failed"):
                return "lost"
            if answer.get("status") != "queued":
                return "odd"
            return "twice" if answer.get("id") == "seen" else "sent"
        """),
    "something_or_nothing": (2, """
        def f(db: sqlite3.Connection):
            return db.execute("select 1 from t").fetchone() is not None
        """),
    "awaited_itself": (3, """
        class Admits(Protocol):
            async def __call__(self, value: int) -> bool: ...

        async def f(admits: Admits | None, value: int):
            if admits is None:
                return 0
            return 1 if await admits(value) else 2
        """),
    "rows_that_become_dicts": (3, """
        import html
        from enum import IntEnum

        class Level(IntEnum):
            LOW = 1

        def f(db: sqlite3.Connection):
            for row in db.execute("select who from t"):
                named = dict(row)
                return "long" if len(html.escape(named.get("who", ""))) > 3 else "short"
            return "none"
        """),
    "made_by_a_constructor": (2, """
        class Shelf:
            def __init__(self) -> None:
                self._db = sqlite3.connect(":memory:")
                self._log = logging.getLogger("shelf")

        def f(shelf: Shelf):
            row = shelf._db.execute("select n from t").fetchone()
            shelf._log.info("asked")
            return row[0] if row else 0
        """),
    "logger": (2, """
        def f(logger: logging.Logger, n: int):
            if n > 3:
                logger.warning("big %s", n)
            return n
        """),
    "hashed": (1, "def f(one: Repo, other: Repo):\n    return len({one: 1}) + (hash(one) == hash(one))"),
    "passed_to_itself": (1, "def f(g: Callable[[Any], int]):\n    return g(g)"),
    "compared": (2, "def f(one: Repo, other: Repo):\n    return one == other"),
}  # fmt: skip


@pytest.mark.parametrize("name", FOLLOWED)
def test_every_way_to_answer_has_a_test_and_no_finding(name: str, tmp_path: Path) -> None:
    count, body = FOLLOWED[name]
    suite = _suite(tmp_path, name, body)
    assert len(suite.cases) == count
    assert all(case.validated and case.finding is None for case in suite.cases)


REFUSED = {
    "copied": "def f(bare: Bare):\n    return copy.copy(bare)",
    "pickled": "def f(bare: Bare):\n    return pickle.dumps(bare)",
    "copied_with_its_parts": "def f(bare: Bare):\n    return copy.deepcopy(bare)",
    "as_text": "def f(bare: Bare):\n    return f'{bare}'",
    "text_of_a_function": "def f(g: Callable[[], int]):\n    return f'{g}'",
    "name_of_its_class": "def f(bare: Bare):\n    return type(bare).__name__",
}

MISUSED = {
    "compared": "return bare < bare",
    "iterated": "return [each for each in bare]",
    "sized": "return len(bare)",
    "called": "return bare()",
    "added": "return bare + 1",
    "asked_for_more": "return bare.put(3)",
}


@pytest.mark.parametrize("name", MISUSED)
def test_what_the_interface_does_not_have_is_a_finding_that_names_it(name: str, tmp_path: Path) -> None:
    (case,) = _suite(tmp_path, name, f"def f(bare: Bare):\n    {MISUSED[name]}").cases
    assert case.validated
    assert case.finding is not None and "'Bare'" in case.finding.message


@pytest.mark.parametrize("name", REFUSED)
def test_what_no_mock_does_is_refused_with_a_line(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.py"
    path.write_text(HEADER + REFUSED[name], encoding="utf-8")
    (suite,) = generate([f"{path}::f"], Options(predicted_only=True)).suites
    assert suite.cases == []
    assert len(suite.stats.unsupported) == 1


def test_functions_of_objects_that_may_be_the_same_are_not_silently_different(tmp_path: Path) -> None:
    path = tmp_path / "same.py"
    body = """
    @dataclass
    class Hook:
        run: Callable[[int], int]

    def f(a: Hook, b: Hook) -> int:
        x, y = a.run(1), b.run(2)
        return x if a is b else x + y
    """
    path.write_text(HEADER + dedent(body), encoding="utf-8")
    (suite,) = generate([f"{path}::f"], Options(predicted_only=True)).suites
    assert [p.message for p in suite.stats.unsupported] == [
        "a.run and b.run, which were called, being the same function"
    ]


@pytest.mark.parametrize("call", ["repo.load()", "repo.load('a', 1)", "repo.save('a', wrong=2)"])
def test_arguments_that_do_not_fit_are_a_finding(call: str, tmp_path: Path) -> None:
    (case,) = _suite(tmp_path, "wrong", f"def f(repo: Repo):\n    {call}").cases
    assert case.validated
    assert case.finding is not None and "TypeError" in case.finding.message


def test_a_function_that_gets_wrong_arguments_is_a_finding(tmp_path: Path) -> None:
    (case,) = _suite(tmp_path, "wrong", "def f(g: Callable[[int], int]):\n    return g(1, 2)").cases
    assert case.validated
    assert case.finding is not None and "TypeError" in case.finding.message


def test_recursion_through_a_stand_in_ends_at_the_bound(tmp_path: Path) -> None:
    body = """
    class Node(Protocol):
        def child(self) -> Node | None: ...

    def f(node: Node) -> int:
        child = node.child()
        return 0 if child is None else 1 + f(child)
    """
    suite = _suite(tmp_path, "deep", body, loops=2)
    assert suite.stats.cut["loop"] > 0
    results = [c.expected.outcome.value for c in suite.cases if isinstance(c.expected.outcome, Returned)]
    assert Literal(0) in results and Literal(1) in results


def test_the_test_reads_as_a_person_would_write_it(tmp_path: Path) -> None:
    path = tmp_path / "shop.py"
    path.write_text(
        HEADER
        + dedent("""
    class Service:
        def __init__(self, repo: Repo, mailer: Mailer, clock: Callable[[], float]) -> None:
            self.repo, self.mailer, self.clock = repo, mailer, clock

        def bump(self, key: str) -> int:
            value = self.repo.load(key)
            if value is None:
                raise KeyError(key)
            self.repo.save(key, value=value + 1)
            return value
    """),
        encoding="utf-8",
    )
    text = rendered(generate([f"{path}::Service.bump"], Options()), "shop")
    assert "repo = Mock(spec=Repo)" in text
    assert "repo.load.return_value = None" in text
    assert "repo.save.assert_called_once_with(" in text
    assert "__new__" not in text


def test_a_constructor_that_uses_what_it_gets_does_not_use_up_the_answers(tmp_path: Path) -> None:
    path = tmp_path / "shop.py"
    source = """
    class Store:
        def __init__(self, db: sqlite3.Connection) -> None:
            self.db = db
            db.execute("create table t (n)")

        def f(self) -> int:
            total = 0
            for n, m in self.db.execute("select n, m from t"):
                total += n * m
            return total
    """
    path.write_text(HEADER + dedent(source), encoding="utf-8")
    run = generate([f"{path}::Store.f"], Options())
    (suite,) = run.suites
    assert [p for p in suite.problems if p.kind == "defect"] == []
    assert len(suite.cases) == 2
    text = rendered(run, "shop")
    assert "db.reset_mock()" in text or "connection.reset_mock()" in text
    assert "__new__" not in text


def test_an_answer_of_unknown_type_that_the_code_refuses_is_no_finding(tmp_path: Path) -> None:
    body = """
    def f(db: sqlite3.Connection):
        for name, other in db.execute("select name, other from t"):
            return name.upper()
    """
    assert all(case.finding is None for case in _suite(tmp_path, "unsure", body).cases)


@pytest.mark.parametrize("asked", ["post", "client.post", "client.repeat"])
def test_what_an_answer_of_open_content_lacks_is_no_finding(asked: str, tmp_path: Path) -> None:
    body = f"""
    @dataclass
    class Client:
        post: Callable[[], dict[str, Any]]
        def repeat(self) -> dict[str, Any]:
            return self.post()
    def f(client: Client, post: Callable[[], dict[str, Any]]):
        answer = {asked}()
        return answer["id"] if answer.get("status") == "queued" else ""
    """
    suite = _suite(tmp_path, "lacking", body)
    assert len(suite.cases) == 3 and all(case.finding is None for case in suite.cases)


def test_declarations_of_an_interface_are_not_tested(tmp_path: Path) -> None:
    path = tmp_path / "ports.py"
    path.write_text(HEADER, encoding="utf-8")
    names = {suite.target.rpartition("::")[2] for suite in generate([str(path)], Options()).suites}
    assert not any(name.startswith(("Repo", "Bare")) or name == "Mailer.send" for name in names)


# Random functions over a random interface, compared with brute force over the answers.


class _Ended(BaseException):
    """The script has no further answer."""


class _Scripted:
    """Answers every call with what comes next; exceptions are raised."""

    def __init__(self, script: tuple[object, ...]) -> None:
        self.script = script
        self.place = 0
        self.asked = ""

    def _next(self, method: str) -> object:
        self.asked = method
        if self.place == len(self.script):
            raise _Ended
        answer = self.script[self.place]
        self.place += 1
        if isinstance(answer, Exception):
            raise answer
        return answer

    def flag(self, key: str) -> object:
        return self._next("flag")

    def number(self, key: str) -> object:
        return self._next("number")


ANSWERS: dict[str, tuple[object, ...]] = {"flag": (True, False), "number": (None, 0, 9)}
ERRORS: tuple[Exception, ...] = (KeyError(), OSError(), ZeroDivisionError())


def _block(source: random.Random, depth: int, indent: str, labels: Iterator[int]) -> list[str]:
    """A few statements that leave a trace of labels."""
    lines: list[str] = []
    for _ in range(source.randint(1, 2)):
        lines.append(f"{indent}seen += '{next(labels)} '")
        kind = source.choice(["flag", "number", "try", "twice"]) if depth else "end"
        inner = indent + "    "
        if kind == "flag":
            lines += [f"{indent}if r.flag('a'):", *_block(source, depth - 1, inner, labels)]
            if source.random() < 0.5:
                lines += [f"{indent}else:", *_block(source, depth - 1, inner, labels)]
        elif kind == "number":
            lines += [f"{indent}n = r.number('b')", f"{indent}if n is None:", f"{inner}seen += 'none '"]
            lines += [f"{indent}elif n > 3:", *_block(source, depth - 1, inner, labels)]
        elif kind == "try":
            lines += [f"{indent}try:", *_block(source, depth - 1, inner, labels)]
            for name in source.sample(["KeyError", "OSError", "Exception"], source.randint(1, 2)):
                lines += [f"{indent}except {name}:", f"{inner}seen += '{name} '"]
                if name == "Exception":
                    break
        elif kind == "twice":
            lines += [f"{indent}if r.flag('c') and r.flag('d'):", f"{inner}seen += 'both '"]
    return lines


def _brute_force(source: str) -> set[str]:
    """What the function can return, over all answers; exceptions that nobody catches are no answers."""
    namespace: dict[str, object] = {}
    exec(source, namespace)
    function = namespace["f"]
    assert callable(function)
    results: set[str] = set()
    agenda: list[tuple[object, ...]] = [()]
    while agenda:
        script = agenda.pop()
        scripted = _Scripted(script)
        try:
            results.add(function(scripted))
        except _Ended:
            agenda += [(*script, answer) for answer in (*ANSWERS[scripted.asked], *ERRORS)]
        except Exception:
            continue
    return results


@given(st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_the_paths_are_those_of_brute_force_over_the_answers(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    body = _block(random.Random(seed), 2, "    ", itertools.count())
    source = "\n".join([
        "from typing import Protocol",
        "class R(Protocol):",
        "    def flag(self, key: str) -> bool: ...",
        "    def number(self, key: str) -> int | None: ...",
        "def f(r: R) -> str:",
        "    seen = ''",
        *body,
        "    return seen",
    ]) + "\n"  # fmt: skip
    path = tmp_path_factory.mktemp("random") / "subject.py"
    path.write_text(source, encoding="utf-8")
    (suite,) = generate([f"{path}::f"], Options()).suites
    assert [p for p in suite.problems if p.kind == "defect"] == []
    outcomes = [case.expected.outcome for case in suite.cases]
    assert not any(isinstance(outcome, Raised) for outcome in outcomes)
    found = {o.value.value for o in outcomes if isinstance(o, Returned) and isinstance(o.value, Literal)}
    assert found == _brute_force(source)
