"""Our version of what one thread sees of `threading`'s locks; compiled, never imported."""

# mypy: ignore-errors
# ruff: noqa: F821


class Lock:
    # An input is a lock that nobody holds: None stands for that.
    _held: None

    def __init__(self):
        self._held = None

    def acquire(self, blocking=True, timeout=-1):
        if self._held is not None:
            if not blocking:
                return False
            unsupported("waiting for a lock that is held already")
        self._held = True
        return True

    def release(self):
        if self._held is None:
            raise RuntimeError("release unlocked lock")
        self._held = None

    def locked(self):
        return self._held is not None

    def __enter__(self):
        return self.acquire()

    def __exit__(self, kind, value, trace):
        self.release()


class RLock:
    _held: None

    def __init__(self):
        self._held = None

    def acquire(self, blocking=True, timeout=-1):
        self._held = 1 if self._held is None else self._held + 1
        return True

    def release(self):
        if self._held is None:
            raise RuntimeError("cannot release un-acquired lock")
        self._held = None if self._held == 1 else self._held - 1

    def __enter__(self):
        return self.acquire()

    def __exit__(self, kind, value, trace):
        self.release()


class Condition:
    # None stands for a lock of its own.
    _lock: None
    _held: None

    def __init__(self, lock=None):
        self._lock = lock
        self._held = None

    def acquire(self, blocking=True, timeout=-1):
        if self._lock is not None:
            return self._lock.acquire(blocking, timeout)
        self._held = 1 if self._held is None else self._held + 1
        return True

    def release(self):
        if self._lock is not None:
            self._lock.release()
            return
        if self._held is None:
            raise RuntimeError("cannot release un-acquired lock")
        self._held = None if self._held == 1 else self._held - 1

    def __enter__(self):
        return self.acquire()

    def __exit__(self, kind, value, trace):
        self.release()

    def _need_held(self, what):
        held = self._held
        if self._lock is not None:
            held = self._lock._held
        if held is None:
            raise RuntimeError("cannot " + what + " on un-acquired lock")

    def notify(self, n=1):
        self._need_held("notify")

    def notify_all(self):
        self._need_held("notify")

    def wait(self, timeout=None):
        self._need_held("wait")
        unsupported("waiting for another thread")

    def wait_for(self, predicate, timeout=None):
        result = predicate()
        if not result:
            self._need_held("wait")
            unsupported("waiting for another thread")
        return result


class Event:
    _flag: None

    def __init__(self):
        self._flag = None

    def is_set(self):
        return self._flag is not None

    def set(self):
        self._flag = True

    def clear(self):
        self._flag = None

    def wait(self, timeout=None):
        if self._flag is None:
            unsupported("waiting for another thread")
        return True


class local:
    """What one thread keeps for itself."""

    pass
