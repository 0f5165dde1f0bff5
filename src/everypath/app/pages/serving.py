"""A small server for the pages of a project, on the loopback address, for whoever has the token.

The token is the first part of every path, so that links on a page carry it. Requests without it are refused, and so are
those that another page could have caused a browser to send: with another host (a name that was made to lead here) or
from another origin. Nothing says which of these it was.

Requests are read by threads, but all work is done by one thread, in order: processes for running cases live as long as
the thread that has started them.
"""

from __future__ import annotations

import hmac
import json
import queue
import secrets
import threading
from collections.abc import Callable
from concurrent.futures import Future
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote

from everypath.app.pages.project import Project
from everypath.errors import BadInput, EverypathError
from everypath.records import dataclass

ADDRESS = "127.0.0.1"
_NAMES = (ADDRESS, "localhost")
_LONGEST_REQUEST = 1 << 20
_SECONDS = 30
"""A browser that opens a connection and says nothing is not waited for any longer."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer to a request."""

    code: int
    kind: str
    body: bytes


def _told(code: int, text: str) -> Reply:
    return Reply(code, "text/plain; charset=utf-8", f"{text}\n".encode())


_REFUSED = _told(403, "refused")


class Server:
    """Serves a project until it is interrupted."""

    def __init__(self, project: Project, port: int = 0) -> None:
        self._project = project
        self._token = secrets.token_urlsafe(24)
        self._jobs: queue.SimpleQueue[tuple[Future[Reply], Callable[[], Reply]]] = queue.SimpleQueue()
        try:
            self._http = _Http((ADDRESS, port), _handler(self))
        except OSError as error:
            reason = error.strerror or str(error)
            advice = "choose another --port, or leave it out"
            raise BadInput(f"port {port} of {ADDRESS} cannot be used: {reason}; {advice}") from None
        self.port = int(self._http.server_address[1])
        self.address = f"http://{ADDRESS}:{self.port}/{self._token}/"

    def run(self) -> None:
        """Listen, and do the work of requests one after the other; Ctrl-C ends it."""
        threading.Thread(target=self._http.serve_forever, daemon=True).start()
        try:
            while True:
                self.work_once()
        finally:
            self.close()

    def work_once(self) -> None:
        """Do the work of one request."""
        # In pieces, because an interrupt does not end a wait without end on every system.
        while True:
            try:
                promise, job = self._jobs.get(timeout=0.5)
                break
            except queue.Empty:
                continue
        try:
            promise.set_result(job())
        except EverypathError as error:
            promise.set_result(_json({"error": str(error)}))
        except Exception as error:
            promise.set_result(_json({"error": f"internal error: {type(error).__name__}: {error}"}))

    def close(self) -> None:
        """Stop listening."""
        self._http.shutdown()
        self._http.server_close()

    def reply(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Reply:
        """What to answer to a request."""
        token, slash, rest = unquote(path.partition("?")[0]).removeprefix("/").partition("/")
        if not self._is_ours(headers) or not hmac.compare_digest(token.encode(), self._token.encode()):
            return _REFUSED
        if not slash:
            return _told(404, "there is no such page")
        return self._in_turn(lambda: self._answer(method, rest, body))

    def _is_ours(self, headers: dict[str, str]) -> bool:
        """Whether a request is meant for this server and comes from its own pages, or from the address bar."""
        hosts = [f"{name}:{self.port}" for name in _NAMES]
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
        known = origin is None or origin in [f"http://{host}" for host in hosts]
        return headers.get("host") in hosts and known and site in ("none", "same-origin")

    def _in_turn(self, job: Callable[[], Reply]) -> Reply:
        promise: Future[Reply] = Future()
        self._jobs.put((promise, job))
        return promise.result()

    def _answer(self, method: str, path: str, body: bytes) -> Reply:
        if method == "GET" and path == "":
            return _html(self._project.index())
        if method == "GET" and path == "state":
            return _json(self._project.state())
        name, _, action = path.removeprefix("page/").partition("/")
        if not path.startswith("page/") or not self._project.has(name):
            return _told(404, "there is no such page")
        if method == "GET":
            return _html(self._project.page(name)) if not action else _told(404, "there is no such page")
        try:
            asked = json.loads(body)
        except ValueError:
            asked = None
        if not isinstance(asked, dict):
            return _told(400, "not a request in JSON")
        return _json(self._project.act(name, action, asked))


def _html(text: str) -> Reply:
    return Reply(200, "text/html; charset=utf-8", text.encode("utf-8", "backslashreplace"))


def _json(value: Any) -> Reply:
    return Reply(200, "application/json", json.dumps(value).encode())


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = False
    """so that a port which somebody else listens on is noticed"""


def _handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = _SECONDS
        server_version = "Everypath"
        sys_version = ""

        def do_GET(self) -> None:
            self._reply(b"")

        def do_POST(self) -> None:
            length = self.headers.get("Content-Length", "")
            if not length.isdecimal() or int(length) > _LONGEST_REQUEST:
                self._send(_told(400, "no such request"))
                return
            self._reply(self.rfile.read(int(length)))

        def _reply(self, body: bytes) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            self._send(server.reply(self.command, self.path, headers, body))

        def _send(self, reply: Reply) -> None:
            self.send_response(reply.code)
            for name, value in (
                ("Content-Type", reply.kind),
                ("Content-Length", str(len(reply.body))),
                ("Cache-Control", "no-store"),
                ("Referrer-Policy", "no-referrer"),
                ("X-Content-Type-Options", "nosniff"),
                ("X-Frame-Options", "DENY"),
                ("Cross-Origin-Resource-Policy", "same-origin"),
            ):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.body)

        def log_message(self, format: str, *arguments: Any) -> None:
            """Nobody asked for a log, and the address holds the token."""

    return Handler
