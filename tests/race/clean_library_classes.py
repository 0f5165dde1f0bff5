"""Correct classes of the kinds that libraries have: decorators, buses, limiters, singletons, queues, breakers."""

from __future__ import annotations

import contextlib
import contextvars
import functools
import itertools
import threading
import time
import weakref
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any


class Memo:
    """A memoising decorator with a lock; the function itself is called outside of it."""

    def __init__(self, maxsize: int = 2) -> None:
        self._results: OrderedDict[Any, Any] = OrderedDict()
        self._maxsize = maxsize
        self._lock = threading.RLock()
        self._hits = self._misses = 0

    def __call__(self, function: Callable[[str], str]) -> Callable[[str], str]:
        @functools.wraps(function)
        def wrapped(key: str = "a") -> str:
            with self._lock:
                if key in self._results:
                    self._hits += 1
                    self._results.move_to_end(key)
                    return self._results[key]
                self._misses += 1
            result = function(key)
            with self._lock:
                self._results[key] = result
                self._results.move_to_end(key)
                if len(self._results) > self._maxsize:
                    self._results.popitem(last=False)
            return result

        return wrapped

    def info(self) -> tuple[int, int, int]:
        with self._lock:
            return self._hits, self._misses, len(self._results)

    def clear(self) -> None:
        with self._lock:
            self._results.clear()
            self._hits = self._misses = 0


class ComputeOutside:
    """A cache that computes outside of its lock; the first result is kept."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}
        self._lock = threading.Lock()

    def get_or_compute(self, key: str, compute: Callable[[], Any]) -> Any:
        with self._lock:
            if key in self._values:
                return self._values[key]
        value = compute()
        with self._lock:
            return self._values.setdefault(key, value)

    def drop(self, key: str) -> bool:
        with self._lock:
            return self._values.pop(key, None) is not None

    def __len__(self) -> int:
        with self._lock:
            return len(self._values)


class ComputeOnce:
    """A cache in which others wait for the first one that computes a key."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}
        self._busy: set[str] = set()
        self._changed = threading.Condition()

    def get_or_compute(self, key: str, compute: Callable[[], Any]) -> Any:
        with self._changed:
            while key in self._busy:
                self._changed.wait()
            if key in self._values:
                return self._values[key]
            self._busy.add(key)
        try:
            value = compute()
        except BaseException:
            with self._changed:
                self._busy.discard(key)
                self._changed.notify_all()
            raise
        with self._changed:
            self._values[key] = value
            self._busy.discard(key)
            self._changed.notify_all()
            return value

    def keys(self) -> list[str]:
        with self._changed:
            return sorted(self._values)


class Breaker:
    """A circuit breaker: after some failures in a row it refuses calls for a while."""

    def __init__(self, limit: int = 1, seconds: float = 5.0) -> None:
        self._lock = threading.Lock()
        self._limit, self._seconds = limit, seconds
        self._failures, self._opened = 0, None

    def call(self, function: Callable[[], Any]) -> Any:
        with self._lock:
            if self._opened is not None and time.monotonic() - self._opened < self._seconds:
                raise RuntimeError("open")
        try:
            result = function()
        except Exception:
            with self._lock:
                self._failures += 1
                if self._failures >= self._limit:
                    self._opened = time.monotonic()
            raise
        with self._lock:
            self._failures, self._opened = 0, None
        return result

    def state(self) -> str:
        with self._lock:
            return "closed" if self._opened is None else "open"


class Retry:
    """Calls a function until it succeeds, and counts the attempts."""

    def __init__(self, attempts: int = 2) -> None:
        self._attempts = attempts
        self._made = 0
        self._lock = threading.Lock()

    def run(self, function: Callable[[], Any]) -> Any:
        for _ in range(self._attempts - 1):
            self._count()
            with contextlib.suppress(ValueError):
                return function()
        self._count()
        return function()

    def _count(self) -> None:
        with self._lock:
            self._made += 1

    def made(self) -> int:
        with self._lock:
            return self._made


class Bulkhead:
    """At most so many calls at the same time; the others are refused."""

    def __init__(self, size: int = 1) -> None:
        self._slots = threading.BoundedSemaphore(size)
        self._lock = threading.Lock()
        self._refused = 0

    def run(self, function: Callable[[], Any]) -> Any:
        if not self._slots.acquire(blocking=False):
            with self._lock:
                self._refused += 1
            raise RuntimeError("full")
        try:
            return function()
        finally:
            self._slots.release()

    def refused(self) -> int:
        with self._lock:
            return self._refused


class InFlightCalls:
    """Counts the calls that are under way."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running = self._most = 0

    def track(self, function: Callable[[], Any]) -> Any:
        with self._lock:
            self._running += 1
            self._most = max(self._most, self._running)
        try:
            return function()
        finally:
            with self._lock:
                self._running -= 1

    def running(self) -> int:
        with self._lock:
            return self._running

    def most(self) -> int:
        with self._lock:
            return self._most


class CopyOnWriteBus:
    """An event bus: publishing goes through a tuple that nobody changes."""

    def __init__(self) -> None:
        self._handlers: tuple[Callable[[str], None], ...] = ()
        self._lock = threading.Lock()

    def subscribe(self, handler: Callable[[str], None]) -> None:
        with self._lock:
            if handler not in self._handlers:
                self._handlers = (*self._handlers, handler)

    def unsubscribe(self, handler: Callable[[str], None]) -> bool:
        with self._lock:
            rest = tuple(each for each in self._handlers if each is not handler)
            removed = len(rest) < len(self._handlers)
            self._handlers = rest
            return removed

    def publish(self, event: str) -> int:
        handlers = self._handlers
        for handler in handlers:
            handler(event)
        return len(handlers)


class Emitter:
    """An event emitter with one-time handlers, which are called outside of the lock."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._handlers: defaultdict[str, list[tuple[Callable[..., None], bool]]] = defaultdict(list)

    def on(self, event: str, handler: Callable[..., None]) -> None:
        with self._lock:
            self._handlers[event].append((handler, False))

    def once(self, event: str, handler: Callable[..., None]) -> None:
        with self._lock:
            self._handlers[event].append((handler, True))

    def emit(self, event: str) -> int:
        with self._lock:
            found = self._handlers.pop(event, [])
            kept = [each for each in found if not each[1]]
            if kept:
                self._handlers[event] = kept
        for handler, _ in found:
            handler(event)
        return len(found)


class WeakBus:
    """Keeps its listeners weakly; going through them happens on a copy."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listeners: weakref.WeakSet[Any] = weakref.WeakSet()

    def add(self, listener: Callable[[], None]) -> None:
        with self._lock:
            self._listeners.add(listener)

    def count(self) -> int:
        with self._lock:
            return len(list(self._listeners))


class MonotonicBucket:
    """A token bucket over the monotonic clock."""

    def __init__(self, rate: float = 1.0, burst: int = 1) -> None:
        self._rate, self._burst = rate, burst
        self._tokens = float(burst)
        self._last = time.monotonic()
        self._lock = threading.Lock()

    def acquire(self) -> bool:
        with self._lock:
            now = time.monotonic()
            self._tokens = min(self._burst, self._tokens + (now - self._last) * self._rate)
            self._last = now
            if self._tokens < 1:
                return False
            self._tokens -= 1
            return True

    def wait_time(self) -> float:
        with self._lock:
            return max(0.0, (1 - self._tokens) / self._rate)


class SlidingWindow:
    """At most so many events within some seconds; a decorator as well."""

    def __init__(self, calls: int = 1, period: float = 10.0) -> None:
        self._times: deque[float] = deque()
        self._calls, self._period = calls, period
        self._lock = threading.Lock()

    def __call__(self, function: Callable[[], Any]) -> Callable[[], Any]:
        @functools.wraps(function)
        def limited() -> Any:
            if not self.allow():
                raise RuntimeError("too many calls")
            return function()

        return limited

    def allow(self) -> bool:
        with self._lock:
            now = time.monotonic()
            while self._times and now - self._times[0] >= self._period:
                self._times.popleft()
            if len(self._times) >= self._calls:
                return False
            self._times.append(now)
            return True

    def pending(self) -> int:
        with self._lock:
            return len(self._times)


class DoubleChecked:
    """An object that is made when it is first asked for, checked again under the lock."""

    def __init__(self, factory: Callable[[], object]) -> None:
        self._factory = factory
        self._instance: object | None = None
        self._lock = threading.Lock()

    def get(self) -> object:
        instance = self._instance
        if instance is None:
            with self._lock:
                if self._instance is None:
                    self._instance = self._factory()
                instance = self._instance
        return instance

    @property
    def made(self) -> bool:
        return self._instance is not None


class Singleton:
    """One object for the whole class."""

    _instance: Singleton | None = None
    _lock = threading.Lock()

    def __new__(cls) -> Singleton:
        if cls._instance is None:
            with cls._lock:
                if cls._instance is None:
                    made = super().__new__(cls)
                    made._values = {}
                    cls._instance = made
        return cls._instance

    def put(self, name: str, value: int) -> None:
        with self._lock:
            self._values[name] = value

    def get(self, name: str) -> int | None:
        with self._lock:
            return self._values.get(name)


class ComputedAttribute:
    """A descriptor: computed once for each object, under a lock, or set."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function = function
        self._name = getattr(function, "__name__", "value")
        self._lock = threading.RLock()

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        with self._lock:
            values = vars(instance)
            if self._name not in values:
                values[self._name] = self._function(instance)
            return values[self._name]

    def __set__(self, instance: Any, value: Any) -> None:
        with self._lock:
            vars(instance)[self._name] = value


class Tree:
    """Methods that call each other under a lock that may be taken again."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._children: dict[str, list[str]] = {"": []}

    def add(self, name: str, parent: str = "") -> bool:
        with self._lock:
            if parent not in self._children or name in self._children:
                return False
            self._children[parent].append(name)
            self._children[name] = []
            return True

    def remove(self, name: str) -> int:
        with self._lock:
            if name not in self._children or name == "":
                return 0
            removed = 1 + sum(self.remove(child) for child in list(self._children[name]))
            del self._children[name]
            for children in self._children.values():
                if name in children:
                    children.remove(name)
            return removed

    def size(self) -> int:
        with self._lock:
            return len(self._children) - 1


class ClosableQueue:
    """A queue over two conditions of one lock, which can be closed."""

    def __init__(self, size: int = 1) -> None:
        self._items: deque[int] = deque()
        self._size = size
        self._closed = False
        self._lock = threading.Lock()
        self._filled = threading.Condition(self._lock)
        self._emptied = threading.Condition(self._lock)

    def put(self, item: int) -> None:
        with self._emptied:
            self._emptied.wait_for(lambda: self._closed or len(self._items) < self._size)
            if self._closed:
                raise RuntimeError("closed")
            self._items.append(item)
            self._filled.notify()

    def get(self) -> int | None:
        with self._filled:
            self._filled.wait_for(lambda: self._closed or bool(self._items))
            if not self._items:
                return None
            item = self._items.popleft()
            self._emptied.notify()
            return item

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._filled.notify_all()
            self._emptied.notify_all()


_TENANT: contextvars.ContextVar[str] = contextvars.ContextVar("tenant", default="nobody")


class Tenants:
    """Who a thread works for is a context variable; what they used is counted under a lock."""

    def __init__(self) -> None:
        self._used: dict[str, int] = {}
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def acting_as(self, name: str) -> Iterator[None]:
        token = _TENANT.set(name)
        try:
            yield
        finally:
            _TENANT.reset(token)

    def use(self) -> str:
        name = _TENANT.get()
        with self._lock:
            self._used[name] = self._used.get(name, 0) + 1
        return name

    def used(self, name: str) -> int:
        with self._lock:
            return self._used.get(name, 0)


class PerThread:
    """A buffer for each thread, flushed into a shared list."""

    def __init__(self) -> None:
        self._local = threading.local()
        self._lock = threading.Lock()
        self._flushed: list[int] = []

    def write(self, item: int) -> None:
        if not hasattr(self._local, "items"):
            self._local.items = []
        self._local.items.append(item)

    def flush(self) -> int:
        items = getattr(self._local, "items", [])
        self._local.items = []
        with self._lock:
            self._flushed.extend(items)
        return len(items)

    def flushed(self) -> list[int]:
        with self._lock:
            return sorted(self._flushed)


@dataclass
class Metrics:
    """A dataclass with a lock in a field."""

    counts: dict[str, int] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def increment(self, name: str, by: int = 1) -> int:
        with self._lock:
            self.counts[name] = self.counts.get(name, 0) + by
            return self.counts[name]

    def snapshot(self) -> dict[str, int]:
        with self._lock:
            return dict(self.counts)


class Resource:
    """Something that a pool lends out."""

    def __init__(self, number: int) -> None:
        self.number = number


class BoundedPool:
    """Lends out at most so many resources, made when needed; borrowing is a `with` block, or hands in a function."""

    def __init__(self, size: int = 1) -> None:
        self._free: list[Resource] = []
        self._numbers = itertools.count(1)
        self._slots = threading.Semaphore(size)
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def borrowed(self) -> Iterator[Resource]:
        self._slots.acquire()
        with self._lock:
            resource = self._free.pop() if self._free else Resource(next(self._numbers))
        try:
            yield resource
        finally:
            with self._lock:
                self._free.append(resource)
            self._slots.release()

    def using(self, work: Callable[[Resource], Any]) -> Any:
        with self.borrowed() as resource:
            return work(resource)

    def idle(self) -> int:
        with self._lock:
            return len(self._free)


class Registry:
    """Plug-ins by name; a decorator registers them."""

    def __init__(self) -> None:
        self._plugins: dict[str, Callable[..., Any]] = {}
        self._lock = threading.RLock()

    def register(self, name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
            with self._lock:
                if name in self._plugins:
                    raise KeyError(f"{name} is registered already")
                self._plugins[name] = function
            return function

        return decorate

    def unregister(self, name: str) -> bool:
        with self._lock:
            return self._plugins.pop(name, None) is not None

    def names(self) -> list[str]:
        with self._lock:
            return list(self._plugins)


class Once:
    """Runs the first function that it is given; whoever comes meanwhile waits until it is done."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._done = False

    def do(self, function: Callable[[], None]) -> bool:
        if self._done:
            return False
        with self._lock:
            if self._done:
                return False
            function()
            self._done = True
            return True

    @property
    def done(self) -> bool:
        return self._done


class Builder:
    """A fluent interface: each method returns something to go on with."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: list[str] = []

    def every(self, count: int = 1) -> Step:
        return Step(self, count)

    def jobs(self) -> list[str]:
        with self._lock:
            return sorted(self._jobs)

    def clear(self) -> None:
        with self._lock:
            self._jobs = []


class Step:
    """What `every` returns; it belongs to one thread until `do` hands it to the builder."""

    def __init__(self, builder: Builder, count: int) -> None:
        self._builder, self._count = builder, count
        self._unit = "second"

    @property
    def minutes(self) -> Step:
        self._unit = "minute"
        return self

    def do(self, name: str) -> str:
        job = f"{name} every {self._count} {self._unit}"
        with self._builder._lock:
            self._builder._jobs.append(job)
        return job
