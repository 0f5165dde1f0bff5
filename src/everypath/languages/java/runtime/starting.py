"""How the JVM that runs cases is started; loads next to nothing, because a run begins with it.

What it runs is the driver, a program in Java that lies beside this module as source. It is compiled once for each JDK
and kept in the user's folder for caches.
"""

from __future__ import annotations

import os

from everypath.errors import BadInput
from everypath.languages.java.runtime.jdk import Jdk, find_jdk
from everypath.options import FenceOptions
from everypath.workers.process import Command
from everypath.workers.reserve import prepare

_SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "driver")
_MAIN = "everypath.driver.Driver"
_AGENT = "agent.jar"
"""what the JVM wants as a jar: the one class that the JDK's classes call, and who puts the calls there"""
_MANIFEST = """\
Manifest-Version: 1.0
Premain-Class: everypath.driver.Agent
Can-Retransform-Classes: true
Boot-Class-Path: agent.jar
"""
_FLAGS = (
    # Short runs: a quick compiler and a simple collector, and no file that other programs watch.
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "-XX:-UsePerfData",
    # The driver puts probes into classes and leaves out what only the verifier reads.
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:-BytecodeVerificationRemote",
    # Nothing but the driver's lines goes to the standard output.
    "-Xlog:disable",
    "-XX:+DisplayVMOutputToStderr",
    "-Djava.awt.headless=true",
    "-Duser.language=en",
    "-Duser.timezone=UTC",
    "-Dfile.encoding=UTF-8",
)
_OPENED = (
    "java.lang",
    "java.util",
    "java.util.concurrent",
    "java.text",
    "java.math",
    "java.io",
    "java.nio",
    "java.time",
)
"""Packages of the JDK whose private fields tests may have to set, as a person would open them."""
_MANAGED_BEFORE = 24
"""JDKs before this one have a security manager, which must be allowed."""


def start_early() -> None:
    """Have a JVM come up while the program is loaded; problems are told when something is to be run."""
    jdk = find_jdk()
    if jdk is not None and jdk.usable:
        try:
            prepare(worker_command(jdk, FenceOptions().memory_mb))
        except BadInput:
            return


def worker_command(jdk: Jdk, memory_mb: int, probes_jdk: bool = False) -> Command:
    """The JVM that compiles and runs cases; it takes a little longer to start if it can look into the JDK's classes."""
    managed = ("-Djava.security.manager=allow",) if jdk.version < _MANAGED_BEFORE else ()
    opened = tuple(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED)
    memory = (f"-Xmx{memory_mb}m", "-Xss1m")
    java = os.path.join(jdk.home, "bin", "java")
    driver = compiled_driver(jdk)
    agent = (f"-javaagent:{os.path.join(driver, _AGENT)}",) if probes_jdk else ()
    return Command((java, *_FLAGS, *managed, *opened, *memory, *agent, "-cp", driver, _MAIN))


def compiled_driver(jdk: Jdk) -> str:
    """The folder with the classes of the driver; they are compiled if nobody has done that yet."""
    sources = sorted(os.path.join(folder, name) for folder, _, names in os.walk(_SOURCES) for name in names)
    sources = [source for source in sources if source.endswith(".java")]
    key = _fingerprint(sources, jdk)
    for base in _caches():
        folder = os.path.join(base, f"java-{key}")
        if os.path.isdir(folder):
            return folder
    return _compile(sources, jdk, key)


def _fingerprint(sources: list[str], jdk: Jdk) -> str:
    from zlib import crc32

    found = crc32(f"{jdk.home} {jdk.release}".encode())
    for source in sources:
        with open(source, "rb") as file:
            found = crc32(file.read(), found)
    return f"{jdk.version}-{found:08x}"


def _caches() -> list[str]:
    """The user's folder for caches, or one for temporary files that is only this user's."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    temporary = os.environ.get("TMPDIR") or "/tmp"
    bases = [os.path.join(home, "everypath"), os.path.join(temporary, f"everypath-cache-{os.getuid()}")]
    return [base for base in bases if not os.path.exists(base) or os.stat(base).st_uid == os.getuid()]


def _compile(sources: list[str], jdk: Jdk, key: str) -> str:
    import shutil
    import subprocess
    import tempfile

    problem = "nowhere may files be written"
    for base in _caches():
        try:
            os.makedirs(base, mode=0o700, exist_ok=True)
            made = tempfile.mkdtemp(dir=base)
        except OSError as error:
            problem = f"{base}: {error.strerror}"
            continue
        javac = os.path.join(jdk.home, "bin", "javac")
        command = [javac, "-nowarn", "-proc:none", "-d", made, *sources]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode == 0:
            _pack_agent(made)
            place = os.path.join(base, f"java-{key}")
            try:
                os.rename(made, place)
            except OSError:
                # Another run was quicker.
                shutil.rmtree(made, ignore_errors=True)
            return place
        shutil.rmtree(made, ignore_errors=True)
        problem = next((line for line in result.stderr.splitlines() if "error" in line), result.stderr[:200])
    raise BadInput(f"the program that runs Java tests cannot be compiled: {problem}")


def _pack_agent(folder: str) -> None:
    from zipfile import ZipFile

    hits = "everypath/boot/Hits"
    with ZipFile(os.path.join(folder, _AGENT), "w") as jar:
        jar.writestr("META-INF/MANIFEST.MF", _MANIFEST)
        for name in (f"{hits}.class", f"{hits}$Stopped.class"):
            jar.write(os.path.join(folder, name), name)
