"""Classes that people believe to be safe, each with a mistake of its own kind."""

from __future__ import annotations

import contextlib
import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Any


class Readers:
    """The count of readers is read outside of the lock."""

    def __init__(self):
        self._read_ready = threading.Condition(threading.Lock())
        self._readers = 0
        self._value = 0

    def acquire_read(self):
        with self._read_ready:
            self._readers += 1

    def release_read(self):
        self._readers -= 1
        if not self._readers:
            with self._read_ready:
                self._read_ready.notify_all()

    @contextlib.contextmanager
    def reading(self):
        self.acquire_read()
        try:
            yield
        finally:
            self.release_read()

    def readers(self):
        with self._read_ready:
            return self._readers


class Pool:
    """Checks the size under the lock, makes the connection outside, then counts."""

    def __init__(self, factory: Callable[[], Any], max_size: int = 1):
        self._factory = factory
        self._max_size = max_size
        self._lock = threading.Lock()
        self._free = []
        self._created = 0

    def acquire(self):
        with self._lock:
            if self._free:
                return self._free.pop()
            full = self._created >= self._max_size
        if full:
            raise RuntimeError("pool exhausted")
        conn = self._factory()
        self._created += 1
        return conn

    def release(self, conn):
        with self._lock:
            self._free.append(conn)

    @property
    def created(self):
        return self._created


class InFlight:
    """Forgets that += is not atomic across a property."""

    def __init__(self):
        self.active = 0
        self.peak = 0

    def __enter__(self):
        self.active += 1
        if self.active > self.peak:
            self.peak = self.active
        return self

    def __exit__(self, *exc):
        self.active -= 1


class Lazy:
    """Lazy initialisation without a lock."""

    def __init__(self, loader: Callable[[], Any]):
        self._loader = loader
        self._value = None

    def get(self):
        if self._value is None:
            self._value = self._loader()
        return self._value

    def invalidate(self):
        self._value = None

    def size(self):
        if self._value is not None:
            return len(str(self._value))
        return 0


class Queue:
    """`if` instead of `while` around wait."""

    def __init__(self):
        self._cond = threading.Condition()
        self._items = deque()

    def put(self, item):
        with self._cond:
            self._items.append(item)
            self._cond.notify_all()

    def get(self):
        with self._cond:
            if not self._items:
                self._cond.wait()
            return self._items.popleft()

    def try_get(self):
        if self._items:
            return self._items.popleft()
        return None


class Registry:
    """Two locks, taken in opposite orders."""

    def __init__(self):
        self._names_lock = threading.Lock()
        self._values_lock = threading.Lock()
        self._names = {}
        self._values = {}

    def register(self, name, value):
        with self._names_lock:
            self._names[name] = len(self._names)
            with self._values_lock:
                self._values[self._names[name]] = value

    def unregister(self, name):
        with self._values_lock, self._names_lock:
            number = self._names.pop(name, None)
            self._values.pop(number, None)

    def lookup(self, name):
        with self._names_lock:
            return self._names.get(name)


class Outbox:
    """Swaps buffers without the lock that writers hold."""

    def __init__(self):
        self._lock = threading.Lock()
        self._buffer = []

    def write(self, item):
        with self._lock:
            self._buffer.append(item)

    def flush(self):
        out = list(self._buffer)
        self._buffer.clear()
        return out


class Memo:
    """A cache with check-then-act on a dict and an eviction."""

    def __init__(self, limit: int = 2):
        self.limit = limit
        self._cache: OrderedDict[str, int] = OrderedDict()

    def lookup(self, key: str, compute: Callable[[str], int]) -> int:
        if key in self._cache:
            self._cache.move_to_end(key)
            return self._cache[key]
        value = self._cache[key] = compute(key)
        while len(self._cache) > self.limit:
            self._cache.popitem(last=False)
        return value

    def drop(self, key: str) -> None:
        if key in self._cache:
            del self._cache[key]


class Settings:
    """Looks again at what another thread may have reset."""

    _instance = None
    _lock = threading.Lock()

    def __init__(self):
        self.values = {}

    @classmethod
    def instance(cls):
        if cls._instance is None:
            with cls._lock:
                if cls._instance is None:
                    cls._instance = cls()
        return cls._instance

    @classmethod
    def reset(cls):
        with cls._lock:
            cls._instance = None
