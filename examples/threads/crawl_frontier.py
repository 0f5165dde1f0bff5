"""Pages that are still to be visited, each once; a page found by two threads at once is visited twice."""

from __future__ import annotations

import threading


class CrawlFrontier:
    """New pages wait here; known ones are refused."""

    __slots__ = ("__lock", "__pages", "__seen")

    def __init__(self) -> None:
        self.__pages: list[str] = []
        self.__seen: set[str] = set()
        self.__lock = threading.RLock()

    def add(self, page: str) -> bool:
        """Remember a page; false if it is known already."""
        if page in self.__seen:
            return False
        with self.__lock:
            self.__seen.add(page)
            self.__pages.append(page)
        return True

    def pop(self) -> str | None:
        """The next page to visit, if there is one."""
        with self.__lock:
            return self.__pages.pop(0) if self.__pages else None

    def __contains__(self, page: str) -> bool:
        with self.__lock:
            return page in self.__seen

    def __bool__(self) -> bool:
        with self.__lock:
            return bool(self.__pages)


class SafeCrawlFrontier:
    """New pages wait here; known ones are refused."""

    __slots__ = ("__lock", "__pages", "__seen")

    def __init__(self) -> None:
        self.__pages: list[str] = []
        self.__seen: set[str] = set()
        self.__lock = threading.RLock()

    def add(self, page: str) -> bool:
        """Remember a page; false if it is known already."""
        with self.__lock:
            if page in self.__seen:
                return False
            self.__seen.add(page)
            self.__pages.append(page)
        return True

    def pop(self) -> str | None:
        """The next page to visit, if there is one."""
        with self.__lock:
            return self.__pages.pop(0) if self.__pages else None

    def __contains__(self, page: str) -> bool:
        with self.__lock:
            return page in self.__seen

    def __bool__(self) -> bool:
        with self.__lock:
            return bool(self.__pages)
