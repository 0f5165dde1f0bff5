"""`everypath view` without a suite: pages from a server that only those with its token can talk to."""

from __future__ import annotations

import http.client
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from everypath.app.pages.project import CAN_EXTEND
from tests.cli.command import everypath
from tests.conftest import ROOT
from tests.languages.java.compiling import compile_java, needs_jdk
from tests.report.browser import Browser

PROGRAM = [sys.executable, "-m", "everypath"]


@contextmanager
def serving(folder: Path, *arguments: str) -> Iterator[str]:
    """The address of a server that runs meanwhile; it must end quietly when it is interrupted."""
    command = [*PROGRAM, "view", "--no-browser", *arguments]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        first = process.stdout.readline()
        assert first.startswith("serving http://127.0.0.1:"), first + process.communicate(timeout=10)[1]
        yield first.removeprefix("serving ").strip()
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=20)
        assert process.returncode == 0
        assert "Traceback" not in error
    finally:
        process.kill()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    shutil.copy(ROOT / "examples" / "papers" / "int_exp.py", folder)
    assert everypath(folder, "generate", "int_exp.py").code == 0
    return folder


def status(address: str, path: str, method: str = "GET", **headers: str) -> int:
    """What a request gets; headers as they are, so that another host can be claimed."""
    place = address.removeprefix("http://").partition("/")[0]
    connection = http.client.HTTPConnection(place, timeout=30)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.putrequest(method, path, skip_host="Host" in named)
    for name, value in {**named, **({"Content-Length": "2"} if method == "POST" else {})}.items():
        connection.putheader(name, value)
    connection.endheaders(b"{}" if method == "POST" else None)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status


def test_nothing_is_reachable_without_the_token_or_from_elsewhere(project: Path) -> None:
    with serving(project) as address:
        path = "/" + address.split("/", 3)[3]
        port = address.split(":")[2].partition("/")[0]
        page = f"{path}page/int_exp.py--int_exp.html"
        assert status(address, path) == status(address, page) == 200
        assert status(address, path, Host=f"localhost:{port}") == 200
        for wrong in (
            "/",
            "/page/int_exp.py--int_exp.html",
            "/" + "x" * 32 + "/",
            path[:-3] + "/",
            "/state",
            "/favicon.ico",
        ):
            assert status(address, wrong) == 403, wrong
        assert status(address, path, Host=f"evil.example:{port}") == 403
        assert status(address, path, Origin="http://evil.example") == 403
        assert status(address, path, Origin="null") == 403
        assert status(address, path, Sec_Fetch_Site="cross-site") == 403
        run = f"{page}/run"
        assert status(address, run, "POST", Origin="http://evil.example") == 403
        assert status(address, run, "POST", Origin=address.rpartition("/")[0].rsplit("/", 1)[0]) == 200
        assert status(address, f"{path}page/../../etc/passwd") == 404
        assert status(address, f"{path}page/unknown.html") == 404
    with pytest.raises(OSError):
        status(address, path)


def test_only_the_loopback_address_listens(project: Path) -> None:
    with serving(project) as address:
        port = int(address.split(":")[2].partition("/")[0])
        listening = Path("/proc/net/tcp").read_text(encoding="ascii") if Path("/proc/net/tcp").exists() else ""
        places = [line.split()[1] for line in listening.splitlines()[1:] if line.split()[3] == "0A"]
        assert [place for place in places if place.endswith(f":{port:04X}")] in ([f"0100007F:{port:04X}"], [])


def test_a_port_in_use_is_told(project: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = everypath(project, "view", "--no-browser", "--port", str(port))
    assert result.code == 2
    assert f"port {port} of 127.0.0.1 cannot be used" in result.err and "--port" in result.err


def test_a_folder_without_suites_is_served_and_told(tmp_path: Path, browser: Browser) -> None:
    with serving(tmp_path) as address:
        browser.open(address)
        assert "No suite is stored here yet" in browser.text("main")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_serious_obstacles_on_served_pages(project: Path, tmp_path: Path, browser: Browser, theme: str) -> None:
    with serving(tmp_path) as address:
        browser.open(address, theme=theme)
        assert browser.obstacles() == []
    with serving(project) as address:
        browser.open(address, theme=theme)
        assert browser.obstacles() == []
        browser("click", selector=".index-table a")
        browser("wait", selector=".functions")
        for view in ("#/", "#/case/1", "#/tree/0"):
            if view != "#/":
                browser.go(view)
            assert browser.obstacles() == [], view
        browser.go("#/case/1")
        browser("click", selector=".run-case")
        browser("wait", selector=".run-said .badge")
        assert browser.obstacles() == []


def test_a_case_is_run_from_the_page(project: Path, browser: Browser) -> None:
    with serving(project) as address:
        browser.open(address)
        browser("click", selector=".index-table a")
        browser("wait", selector=".functions")
        browser.go("#/case/1")
        browser("click", selector=".run-case")
        browser("wait", selector=".run-said .badge")
        assert browser.text(".run-said") == "passed ran as recorded"
        assert browser("seen")["errors"] == []
        assert all(each.startswith(address.rpartition("/")[0]) for each in browser("seen")["requests"])


def test_what_a_run_stores_meanwhile_appears(tmp_path: Path, browser: Browser) -> None:
    shutil.copy(ROOT / "examples" / "papers" / "int_exp.py", tmp_path)
    with serving(tmp_path) as address:
        browser.open(address)
        assert everypath(tmp_path, "generate", "int_exp.py").code == 0
        browser("wait", selector=".index-table a", seconds=15)
        browser("click", selector=".index-table a")
        browser("wait", selector=".functions")
        assert browser.text(".functions tbody .num").split() == ["3", "0"]
        assert everypath(tmp_path, "generate", "int_exp.py", "--loops", "3").code == 0
        browser("holds", script="document.querySelector('.functions tbody .num').textContent === '5'", seconds=15)
        assert browser("seen")["errors"] == []


def grows(browser: Browser, address: str, told: str) -> None:
    """A leaf that was cut grows by more ends and cases; then one more case of the function is asked for, and shown."""
    browser.open(address)
    browser("click", selector=".index-table a")
    browser("wait", selector=".functions", seconds=60)
    before = int(browser.text(".functions tbody td:nth-child(2)"))
    browser.go("#/tree/0")
    cut = ".node.end-cut:has-text('loop bound')"
    browser("wait", selector=cut)
    leaves = len(browser("texts", selector=".node.end-returned"))
    assert f"click to {told}" in browser.text(".node.end-cut title")
    browser("click", selector=cut)
    browser("holds", script=f"document.querySelectorAll('.node.end-returned').length > {leaves}", seconds=30)
    browser.go("#/cases")
    cases = int(browser.text(".cases > .status").split()[0])
    assert cases > before
    browser.go("#/")
    browser("click", selector=".one-more")
    browser("wait", selector="article.case", seconds=30)
    assert not browser.evaluate("document.getElementById('live-status').classList.contains('bad-text')")
    browser.go("#/cases")
    assert browser.text(".cases > .status") == f"{cases + 1} cases"
    assert browser("seen")["errors"] == []


def test_one_more_case_and_further_for_orders_of_messages(tmp_path: Path, browser: Browser) -> None:
    shutil.copy(ROOT / "examples" / "actors" / "cons.abs", tmp_path)
    assert everypath(tmp_path, "generate", "cons.abs::Consumer.consumeN").code == 1
    with serving(tmp_path) as address:
        grows(browser, address, "search all orders again with --loops one higher")
        browser.go("#/")
        assert "not searched to the end" in browser.text(".functions")


@needs_jdk
def test_one_more_case_and_further_for_java(tmp_path: Path, browser: Browser) -> None:
    sources = ROOT / "examples" / "structures" / "java"
    compile_java(sorted((sources / "ds").glob("*.java")), tmp_path / "build")
    made = everypath(tmp_path, "generate", "build::ds.BinarySearchTree.insert", "--sources", str(sources))
    assert made.code == 0, made.said
    with serving(tmp_path) as address:
        grows(browser, address, "go further here")


def test_schedules_of_threads_are_run_again_and_searched_anew(tmp_path: Path, browser: Browser) -> None:
    shutil.copy(ROOT / "examples" / "threads" / "hit_counter.py", tmp_path)
    everypath(tmp_path, "race", "hit_counter.py::HitCounter", "--time", "10", "--no-confirm")
    with serving(tmp_path) as address:
        browser.open(address)
        browser("click", selector=".index-table a")
        browser("wait", selector=".functions")
        assert browser("texts", selector=".one-more") == []
        assert "begins anew" in browser.text("main")
        assert "everypath race hit_counter.py::HitCounter --time 60 --seed 1" in browser.text(".command code")
        browser.go("#/case/0")
        browser("click", selector=".run-case")
        browser("wait", selector=".run-said .badge", seconds=30)
        assert browser.text(".run-said") == "passed ran as recorded"
        assert browser("seen")["errors"] == []


@pytest.mark.skipif(not CAN_EXTEND, reason="suites cannot be extended yet")
def test_one_more_case_and_further_at_a_cut_leaf(tmp_path: Path, browser: Browser) -> None:
    shutil.copy(ROOT / "examples" / "papers" / "int_exp.py", tmp_path)
    assert everypath(tmp_path, "generate", "int_exp.py").code == 0
    with serving(tmp_path) as address:
        browser.open(address)
        browser("click", selector=".index-table a")
        browser("wait", selector=".functions")
        browser("click", selector=".one-more")
        browser("wait", selector="article.case", seconds=20)
        assert browser("texts", selector=".call")
        browser.go("#/cases")
        assert browser.text(".cases > .status") == "4 cases"
        browser.go("#/tree/0")
        leaves = len(browser("texts", selector=".node.end-returned"))
        browser("click", selector=".node.end-cut")
        browser("holds", script=f"document.querySelectorAll('.node.end-returned').length > {leaves}", seconds=20)
        browser.go("#/cases")
        assert browser.text(".cases > .status") == "5 cases"
        assert browser("seen")["errors"] == []
