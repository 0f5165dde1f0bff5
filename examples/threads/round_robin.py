"""Spreads requests over hosts in turn; two requests can go to the same host, or to one that has just been removed."""

from __future__ import annotations

import threading


class RoundRobin:
    """Hosts that take turns."""

    def __init__(self, hosts: tuple[str, ...] = ("alpha", "beta")) -> None:
        self._hosts = list(hosts)
        self._turn = 0
        self._lock = threading.Lock()

    def pick(self) -> str:
        """The next host."""
        if not self._hosts:
            raise LookupError("there are no hosts")
        host = self._hosts[self._turn]
        self._turn = (self._turn + 1) % len(self._hosts)
        return host

    def add(self, host: str) -> None:
        """One more host, after all others."""
        with self._lock:
            self._hosts.append(host)

    def remove_last(self) -> str:
        """One host less, the latest."""
        with self._lock:
            if not self._hosts:
                raise LookupError("there are no hosts")
            self._turn = 0
            return self._hosts.pop()


class SafeRoundRobin:
    """Hosts that take turns."""

    def __init__(self, hosts: tuple[str, ...] = ("alpha", "beta")) -> None:
        self._hosts = list(hosts)
        self._turn = 0
        self._lock = threading.Lock()

    def pick(self) -> str:
        """The next host."""
        with self._lock:
            if not self._hosts:
                raise LookupError("there are no hosts")
            host = self._hosts[self._turn]
            self._turn = (self._turn + 1) % len(self._hosts)
            return host

    def add(self, host: str) -> None:
        """One more host, after all others."""
        with self._lock:
            self._hosts.append(host)

    def remove_last(self) -> str:
        """One host less, the latest."""
        with self._lock:
            if not self._hosts:
                raise LookupError("there are no hosts")
            self._turn = 0
            return self._hosts.pop()
