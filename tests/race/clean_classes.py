"""Classes that are safe to share between threads, as people write them: the search must find nothing in any of them."""

from __future__ import annotations

import collections
import contextlib
import ctypes
import enum
import itertools
import queue
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class InFlight:
    """How many requests are being served, counted by a context manager."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running = 0
        self._peak = 0

    @contextlib.contextmanager
    def track(self) -> Iterator[None]:
        with self._lock:
            self._running += 1
            self._peak = max(self._peak, self._running)
        try:
            yield
        finally:
            with self._lock:
                self._running -= 1

    def running(self) -> int:
        with self._lock:
            return self._running

    def peak(self) -> int:
        with self._lock:
            return self._peak


class ReadWriteLock:
    """Many readers or one writer."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._readers = 0
        self._writing = False

    @contextlib.contextmanager
    def read(self) -> Iterator[None]:
        with self._condition:
            while self._writing:
                self._condition.wait()
            self._readers += 1
        try:
            yield
        finally:
            with self._condition:
                self._readers -= 1
                if self._readers == 0:
                    self._condition.notify_all()

    @contextlib.contextmanager
    def write(self) -> Iterator[None]:
        with self._condition:
            while self._writing or self._readers:
                self._condition.wait()
            self._writing = True
        try:
            yield
        finally:
            with self._condition:
                self._writing = False
                self._condition.notify_all()

    @property
    def readers(self) -> int:
        with self._condition:
            return self._readers


class Connection:
    """Something that a pool lends."""

    def __init__(self, number: int) -> None:
        self.number = number


class Pool:
    """Lends connections, at most so many at a time, by a context manager or by hand."""

    def __init__(self, size: int = 2) -> None:
        self._lock = threading.Lock()
        self._free = [Connection(n) for n in range(size)]
        self._lent: set[int] = set()

    def acquire(self) -> Connection:
        with self._lock:
            if not self._free:
                raise LookupError("no connection is free")
            found = self._free.pop()
            self._lent.add(found.number)
            return found

    def release(self, connection: Connection) -> None:
        with self._lock:
            if connection.number not in self._lent:
                raise ValueError("not lent")
            self._lent.discard(connection.number)
            self._free.append(connection)

    @contextlib.contextmanager
    def connection(self) -> Iterator[Connection]:
        found = self.acquire()
        try:
            yield found
        finally:
            self.release(found)

    def available(self) -> int:
        with self._lock:
            return len(self._free)


class WaitingPool:
    """A pool whose callers wait until something is given back."""

    def __init__(self, size: int = 1) -> None:
        self._slots = threading.Semaphore(size)
        self._lock = threading.Lock()
        self._items = list(range(size))

    @contextlib.contextmanager
    def item(self) -> Iterator[int]:
        with self._slots:
            with self._lock:
                item = self._items.pop()
            try:
                yield item
            finally:
                with self._lock:
                    self._items.append(item)

    def free(self) -> int:
        with self._lock:
            return len(self._items)


class Transaction:
    """What a store hands out: written back when its block ends."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._changes: dict[str, int] = {}

    def __enter__(self) -> Transaction:
        self._store._begin()
        return self

    def set(self, key: str, value: int) -> None:
        self._changes[key] = value

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._store._end(self._changes if kind is None else {})


class Store:
    """Keeps values; changes come in transactions, of which several may be open."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._data: dict[str, int] = {}
        self._open = 0
        self._commits = 0

    def _begin(self) -> None:
        with self._lock:
            self._open += 1

    def _end(self, changes: dict[str, int]) -> None:
        with self._lock:
            self._open -= 1
            self._commits += 1
            self._data.update(changes)

    def transaction(self) -> Transaction:
        return Transaction(self)

    def get(self, key: str) -> int | None:
        with self._lock:
            return self._data.get(key)

    @property
    def open_transactions(self) -> int:
        with self._lock:
            return self._open

    @property
    def commits(self) -> int:
        with self._lock:
            return self._commits


class ReentrantGuard:
    """A lock that is a context manager itself and counts who has entered."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._depth = 0
        self._entered = 0

    def __enter__(self) -> ReentrantGuard:
        self._lock.acquire()
        self._depth += 1
        self._entered += 1
        return self

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        self._lock.release()

    def entered(self) -> int:
        with self._lock:
            return self._entered


class Gauge:
    """A context manager without a lock of its own between entering and leaving."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._total = 0

    def __enter__(self) -> Gauge:
        with self._lock:
            self._inside += 1
            self._total += 1
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1

    def snapshot(self) -> tuple[int, int]:
        with self._lock:
            return self._inside, self._total


class Limiter:
    """At most so many at a time; others are turned away."""

    class Full(Exception):
        """No room."""

    def __init__(self, limit: int = 1) -> None:
        self._lock = threading.Lock()
        self._limit = limit
        self._active = 0
        self._rejected = 0

    @contextlib.contextmanager
    def slot(self) -> Iterator[int]:
        with self._lock:
            if self._active >= self._limit:
                self._rejected += 1
                raise Limiter.Full
            self._active += 1
            number = self._active
        try:
            yield number
        finally:
            with self._lock:
                self._active -= 1

    def rejected(self) -> int:
        with self._lock:
            return self._rejected

    def active(self) -> int:
        with self._lock:
            return self._active


class KeyedLocks:
    """One lock for each key, made when it is first asked for and dropped with its last user."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._locks: dict[str, tuple[threading.Lock, int]] = {}

    @contextlib.contextmanager
    def hold(self, key: str) -> Iterator[None]:
        with self._guard:
            lock, users = self._locks.get(key, (None, 0))
            if lock is None:
                lock = threading.Lock()
            self._locks[key] = (lock, users + 1)
        try:
            with lock:
                yield
        finally:
            with self._guard:
                lock, users = self._locks[key]
                if users == 1:
                    del self._locks[key]
                else:
                    self._locks[key] = (lock, users - 1)

    def in_use(self) -> list[str]:
        with self._guard:
            return sorted(self._locks)


class Maintenance:
    """Pauses work for the length of a block; pauses may overlap."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._pauses = 0
        self._done: list[str] = []

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        with self._condition:
            self._pauses += 1
        try:
            yield
        finally:
            with self._condition:
                self._pauses -= 1
                self._condition.notify_all()

    def work(self, name: str) -> None:
        with self._condition:
            self._condition.wait_for(lambda: self._pauses == 0)
            self._done.append(name)

    def is_paused(self) -> bool:
        with self._condition:
            return self._pauses > 0


class Point(ctypes.Structure):
    """Two coordinates as C lays them out."""

    _fields_ = (("x", ctypes.c_int), ("y", ctypes.c_int))


class Track:
    """Points as a C library takes them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._points: list[tuple[int, int]] = []
        self._origin = Point(0, 0)

    def add(self, x: int, y: int) -> None:
        point = Point(x, y)
        with self._lock:
            self._points.append((point.x - self._origin.x, point.y - self._origin.y))

    def last(self) -> tuple[int, int] | None:
        with self._lock:
            return self._points[-1] if self._points else None

    def __len__(self) -> int:
        with self._lock:
            return len(self._points)


class LruCache(Generic[T]):
    """Keeps the values used last."""

    def __init__(self, capacity: int = 2) -> None:
        self._lock = threading.Lock()
        self._capacity = capacity
        self._entries: collections.OrderedDict[str, T] = collections.OrderedDict()

    def get(self, key: str) -> T | None:
        with self._lock:
            if key not in self._entries:
                return None
            self._entries.move_to_end(key)
            return self._entries[key]

    def put(self, key: str, value: T) -> None:
        with self._lock:
            self._entries[key] = value
            self._entries.move_to_end(key)
            while len(self._entries) > self._capacity:
                self._entries.popitem(last=False)

    def __len__(self) -> int:
        with self._lock:
            return len(self._entries)

    def __contains__(self, key: str) -> bool:
        with self._lock:
            return key in self._entries


class BoundedQueue:
    """Producers wait for room, consumers for items."""

    def __init__(self, size: int = 1) -> None:
        self._lock = threading.Lock()
        self._room = threading.Condition(self._lock)
        self._filled = threading.Condition(self._lock)
        self._items: collections.deque[int] = collections.deque()
        self._size = size

    def put(self, item: int) -> None:
        with self._room:
            while len(self._items) >= self._size:
                self._room.wait()
            self._items.append(item)
            self._filled.notify()

    def get(self) -> int:
        with self._filled:
            while not self._items:
                self._filled.wait()
            item = self._items.popleft()
            self._room.notify()
            return item

    def qsize(self) -> int:
        with self._lock:
            return len(self._items)


class Accounts:
    """Money moved between two accounts, the locks always taken in the order of the names."""

    def __init__(self) -> None:
        self._locks = {"a": threading.Lock(), "b": threading.Lock()}
        self._money = {"a": 5, "b": 5}

    def move(self, source: str, target: str, amount: int) -> bool:
        if source == target:
            return False
        first, second = sorted((source, target))
        with self._locks[first], self._locks[second]:
            if self._money[source] < amount:
                return False
            self._money[source] -= amount
            self._money[target] += amount
            return True

    def balance(self, name: str) -> int:
        with self._locks[name]:
            return self._money[name]


class Bus:
    """Calls its subscribers outside the lock, on a copy of the list."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._subscribers: dict[str, list[Callable[[str], None]]] = {}

    def subscribe(self, topic: str, callback: Callable[[str], None]) -> None:
        with self._lock:
            self._subscribers.setdefault(topic, []).append(callback)

    def unsubscribe(self, topic: str, callback: Callable[[str], None]) -> bool:
        with self._lock:
            known = self._subscribers.get(topic, [])
            if callback not in known:
                return False
            known.remove(callback)
            return True

    def publish(self, topic: str) -> int:
        with self._lock:
            known = list(self._subscribers.get(topic, ()))
        for callback in known:
            callback(topic)
        return len(known)


class Once:
    """Computes a value when it is first asked for."""

    def __init__(self, compute: Callable[[], int]) -> None:
        self._lock = threading.Lock()
        self._compute = compute
        self._known: int | None = None
        self._done = False

    def value(self) -> int | None:
        if not self._done:
            with self._lock:
                if not self._done:
                    self._known = self._compute()
                    self._done = True
        return self._known


class Phase(enum.Enum):
    """Where a job is."""

    NEW = 0
    RUNNING = 1
    DONE = 2


class Job:
    """Goes through its phases in order."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._phase = Phase.NEW
        self._ended = threading.Event()

    def start(self) -> bool:
        with self._lock:
            if self._phase is not Phase.NEW:
                return False
            self._phase = Phase.RUNNING
            return True

    def finish(self) -> bool:
        with self._lock:
            if self._phase is not Phase.RUNNING:
                return False
            self._phase = Phase.DONE
            self._ended.set()
            return True

    def wait(self, timeout: float | None = None) -> bool:
        return self._ended.wait(timeout)

    @property
    def phase(self) -> Phase:
        with self._lock:
            return self._phase


class Ids:
    """Numbers that are never given twice."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)

    def next(self) -> int:
        return next(self._numbers)


class Inbox:
    """Messages in a queue of the library."""

    def __init__(self) -> None:
        self._messages: queue.Queue[str] = queue.Queue()

    def send(self, message: str) -> None:
        self._messages.put(message)

    def receive(self) -> str | None:
        try:
            return self._messages.get_nowait()
        except queue.Empty:
            return None


class TokenBucket:
    """Tokens that come back with time."""

    def __init__(self, capacity: int = 2, per_second: float = 1.0) -> None:
        self._lock = threading.Lock()
        self._capacity = capacity
        self._per_second = per_second
        self._tokens = float(capacity)
        self._at = time.monotonic()

    def take(self, tokens: int = 1) -> bool:
        with self._lock:
            now = time.monotonic()
            self._tokens = min(self._capacity, self._tokens + (now - self._at) * self._per_second)
            self._at = now
            if self._tokens < tokens:
                return False
            self._tokens -= tokens
            return True


class Registry:
    """Handlers by class, found along the bases."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._handlers: dict[type, Callable[[Any], str]] = {}

    def register(self, cls: type, handler: Callable[[Any], str]) -> None:
        with self._lock:
            if cls in self._handlers:
                raise KeyError(cls.__name__)
            self._handlers[cls] = handler

    def replace(self, cls: type, handler: Callable[[Any], str]) -> None:
        with self._lock:
            self._handlers.pop(cls, None)
            self.register(cls, handler)

    def handles(self, value: object) -> bool:
        with self._lock:
            return any(cls in self._handlers for cls in type(value).__mro__)


class Settings:
    """Replaced as a whole, so that readers need no lock."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._values: dict[str, str] = {}

    def get(self, name: str) -> str | None:
        return self._values.get(name)

    def set(self, name: str, value: str) -> None:
        with self._lock:
            self._values = {**self._values, name: value}

    def drop(self, name: str) -> None:
        with self._lock:
            self._values = {key: value for key, value in self._values.items() if key != name}


class Histogram:
    """Counts in ranges; what it returns is a copy."""

    def __init__(self, borders: tuple[int, ...] = (1, 10)) -> None:
        self._lock = threading.Lock()
        self._borders = borders
        self._counts = [0] * (len(borders) + 1)

    def add(self, value: int) -> None:
        place = sum(value > border for border in self._borders)
        with self._lock:
            self._counts[place] += 1

    def counts(self) -> list[int]:
        with self._lock:
            return list(self._counts)

    def reset(self) -> list[int]:
        with self._lock:
            counts, self._counts = self._counts, [0] * len(self._counts)
            return counts


class Interner:
    """The same object for equal texts."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str]] = {}

    def intern(self, text: str) -> tuple[str]:
        return self._known.setdefault(text, (text,))

    def __len__(self) -> int:
        return len(self._known)


class Latch:
    """Opens when it was counted down as often as it takes."""

    def __init__(self, count: int = 2) -> None:
        self._condition = threading.Condition()
        self._left = count

    def count_down(self) -> int:
        with self._condition:
            if self._left > 0:
                self._left -= 1
                if self._left == 0:
                    self._condition.notify_all()
            return self._left

    def is_open(self) -> bool:
        with self._condition:
            return self._left == 0

    def wait(self) -> None:
        with self._condition:
            while self._left > 0:
                self._condition.wait()


class Outbox:
    """Collects messages and hands all of them over at once."""

    def __init__(self, keep: bool = False) -> None:
        self._lock = threading.Lock()
        self._keep = keep
        self._messages: list[str] = []
        self._sent: list[str] = []

    def write(self, message: str) -> None:
        with self._lock:
            self._messages.append(message)

    def flush(self) -> list[str]:
        with self._lock:
            messages, self._messages = self._messages, []
            if self._keep:
                self._sent.extend(messages)
            return messages

    def sent(self) -> tuple[str, ...]:
        with self._lock:
            return tuple(self._sent)
