"""The models of library classes that come compiled with the package."""

from __future__ import annotations

import zipfile

from everypath.languages.java.models.build import JAR, compiled
from tests.languages.java.compiling import needs_jdk

pytestmark = needs_jdk


def test_the_compiled_models_are_those_of_the_sources(java_home: None) -> None:
    with zipfile.ZipFile(JAR) as archive:
        kept = {name: archive.read(name) for name in archive.namelist()}
    fresh = compiled()
    assert kept.keys() == fresh.keys()
    # The first eight bytes tell the version: another compiler may write other code for the same source.
    different = [name for name in kept if kept[name][:8] == fresh[name][:8] and kept[name] != fresh[name]]
    assert not different, f"run python -m everypath.languages.java.models.build: {different}"
