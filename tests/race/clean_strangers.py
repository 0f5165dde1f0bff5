"""More classes that are safe to share, each in the style of another hand: untyped, old-fashioned or terse."""

# ruff: noqa: RUF005, UP006, UP007, UP035, UP037, UP045
from __future__ import annotations

import contextlib
import threading
from collections import deque
from typing import Any, Callable, Dict, Generic, List, Optional, Tuple, TypeVar

T = TypeVar("T")


class SharedConfig:
    """Values guarded by a read-write lock of its own."""

    def __init__(self, **initial):
        self._cond = threading.Condition(threading.Lock())
        self._readers = 0
        self._writer = False
        self._data = dict(initial)

    @contextlib.contextmanager
    def _reading(self):
        with self._cond:
            while self._writer:
                self._cond.wait()
            self._readers += 1
        try:
            yield
        finally:
            with self._cond:
                self._readers -= 1
                if not self._readers:
                    self._cond.notify_all()

    @contextlib.contextmanager
    def _writing(self):
        with self._cond:
            while self._writer or self._readers:
                self._cond.wait()
            self._writer = True
        try:
            yield
        finally:
            with self._cond:
                self._writer = False
                self._cond.notify_all()

    def get(self, key, default=None):
        with self._reading():
            return self._data.get(key, default)

    def set(self, key, value):
        with self._writing():
            self._data[key] = value

    def snapshot(self):
        with self._reading():
            return dict(self._data)

    def update_with(self, key, fn):
        with self._writing():
            self._data[key] = fn(self._data.get(key))
            return self._data[key]


class ConnectionPool:
    """Bounded pool with lazily made connections."""

    def __init__(self, factory: Callable[[], Any], max_size: int = 4):
        self._factory = factory
        self._max_size = max_size
        self._idle = deque()
        self._in_use = 0
        self._available = threading.Condition()

    def acquire(self, timeout: Optional[float] = None):
        with self._available:
            if not self._available.wait_for(lambda: self._idle or self._in_use < self._max_size, timeout):
                raise TimeoutError("no connection available")
            conn = self._idle.popleft() if self._idle else self._factory()
            self._in_use += 1
            return conn

    def release(self, conn) -> None:
        with self._available:
            if self._in_use == 0:
                raise RuntimeError("released more than acquired")
            self._in_use -= 1
            self._idle.append(conn)
            self._available.notify()

    @contextlib.contextmanager
    def connection(self):
        conn = self.acquire()
        try:
            yield conn
        finally:
            self.release(conn)

    @property
    def stats(self) -> Tuple[int, int]:
        with self._available:
            return self._in_use, len(self._idle)


class RequestTracker:
    """In-flight counter with drain."""

    def __init__(self) -> None:
        self._cv = threading.Condition()
        self._inflight = 0
        self._total = 0
        self._closed = False

    def __enter__(self) -> "RequestTracker":
        with self._cv:
            if self._closed:
                raise RuntimeError("shutting down")
            self._inflight += 1
            self._total += 1
        return self

    def __exit__(self, *exc) -> None:
        with self._cv:
            self._inflight -= 1
            if self._inflight == 0:
                self._cv.notify_all()

    def drain(self, timeout: Optional[float] = None) -> bool:
        with self._cv:
            self._closed = True
            return self._cv.wait_for(lambda: self._inflight == 0, timeout)

    @property
    def inflight(self) -> int:
        with self._cv:
            return self._inflight

    @property
    def total(self) -> int:
        with self._cv:
            return self._total


class LazyValue(Generic[T]):
    """Computes a value once."""

    def __init__(self, compute: Callable[[], T]) -> None:
        self._compute = compute
        self._lock = threading.RLock()
        self._done = False
        self._value: Optional[T] = None

    def get(self) -> T:
        if not self._done:
            with self._lock:
                if not self._done:
                    self._value = self._compute()
                    self._done = True
        return self._value

    def is_ready(self) -> bool:
        return self._done


class WorkQueue:
    """Condition-based queue with join and close."""

    class Closed(Exception):
        pass

    def __init__(self, maxsize=0):
        self.maxsize = maxsize
        self._mutex = threading.Lock()
        self._not_empty = threading.Condition(self._mutex)
        self._not_full = threading.Condition(self._mutex)
        self._all_done = threading.Condition(self._mutex)
        self._items = deque()
        self._unfinished = 0
        self._closed = False

    def put(self, item):
        with self._not_full:
            while self.maxsize and len(self._items) >= self.maxsize and not self._closed:
                self._not_full.wait()
            if self._closed:
                raise self.Closed()
            self._items.append(item)
            self._unfinished += 1
            self._not_empty.notify()

    def get(self, block=True):
        with self._not_empty:
            while not self._items:
                if self._closed:
                    raise self.Closed()
                if not block:
                    raise LookupError("empty")
                self._not_empty.wait()
            item = self._items.popleft()
            self._not_full.notify()
            return item

    def task_done(self):
        with self._all_done:
            if self._unfinished <= 0:
                raise ValueError("task_done() called too many times")
            self._unfinished -= 1
            if self._unfinished == 0:
                self._all_done.notify_all()

    def close(self):
        with self._mutex:
            self._closed = True
            self._not_empty.notify_all()
            self._not_full.notify_all()

    def qsize(self):
        with self._mutex:
            return len(self._items)


class Ledger:
    """RLock re-entrance: public methods call one another."""

    def __init__(self):
        self._lock = threading.RLock()
        self._accounts: Dict[str, int] = {}
        self.history: List[Tuple[str, int]] = []

    def balance(self, name: str) -> int:
        with self._lock:
            return self._accounts.get(name, 0)

    def deposit(self, name: str, amount: int) -> int:
        with self._lock:
            self._accounts[name] = self.balance(name) + amount
            self.history.append((name, amount))
            return self._accounts[name]

    def withdraw(self, name: str, amount: int) -> bool:
        with self._lock:
            if self.balance(name) < amount:
                return False
            self.deposit(name, -amount)
            return True

    def transfer(self, source: str, target: str, amount: int) -> bool:
        with self._lock:
            if not self.withdraw(source, amount):
                return False
            self.deposit(target, amount)
            return True

    def total(self) -> int:
        with self._lock:
            return sum(self._accounts.values())


class HandlerRegistry:
    """Copy-on-write: readers need no lock."""

    def __init__(self):
        self._handlers = ()
        self._write_lock = threading.Lock()

    def register(self, handler):
        with self._write_lock:
            if handler not in self._handlers:
                self._handlers = self._handlers + (handler,)

    def unregister(self, handler):
        with self._write_lock:
            self._handlers = tuple(h for h in self._handlers if h is not handler)

    def __len__(self):
        return len(self._handlers)

    def __iter__(self):
        return iter(self._handlers)

    def fire(self, event):
        return [handler(event) for handler in self._handlers]


class DoubleBuffer:
    """Atomic swap of two buffers."""

    def __init__(self):
        self._lock = threading.Lock()
        self._front = []
        self._back = []

    def write(self, item):
        with self._lock:
            self._back.append(item)

    def swap(self):
        with self._lock:
            self._front, self._back = self._back, []
            return list(self._front)

    def read(self):
        with self._lock:
            return tuple(self._front)

    def pending(self):
        with self._lock:
            return len(self._back)


class Drainer:
    """A generator that takes the lock for each element."""

    def __init__(self):
        self._lock = threading.Lock()
        self._items = deque()

    def put(self, item):
        with self._lock:
            self._items.append(item)

    def drain(self):
        while True:
            with self._lock:
                if not self._items:
                    return
                item = self._items.popleft()
            yield item

    def __len__(self):
        with self._lock:
            return len(self._items)


class Settings:
    """Made once, on first use, under a lock of the class."""

    _instance = None
    _lock = threading.Lock()

    def __init__(self):
        self.values = {}
        self._guard = threading.Lock()

    @classmethod
    def instance(cls):
        if cls._instance is None:
            with cls._lock:
                if cls._instance is None:
                    cls._instance = cls()
        return cls._instance

    def set(self, key, value):
        with self._guard:
            self.values[key] = value

    def get(self, key):
        with self._guard:
            return self.values.get(key)
