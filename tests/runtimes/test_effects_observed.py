"""What tasks really do is among the effects that are found in the text of their methods."""

from __future__ import annotations

from pathlib import Path

import pytest

from everypath.languages.abs.frontend.check import check_program, read_sources
from everypath.languages.abs.frontend.effects import MAIN, OUTPUT, effects
from everypath.languages.abs.frontend.program import Program
from everypath.languages.abs.runtime.explore import at_random, machine_for
from everypath.languages.abs.runtime.machine import deep_calls
from tests.conftest import ROOT

SAMPLES = sorted([*(ROOT / "examples" / "actors").glob("*.abs"), *(ROOT / "tests/frontends/abs/samples").glob("*.abs")])


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
@pytest.mark.parametrize("seed", range(3))
def test_steps_do_what_the_text_says(path: Path, seed: int) -> None:
    program = check_program(read_sources([path]))
    assert isinstance(program, Program)
    found = effects(program)
    machine = machine_for(program, None, seed)
    choose = at_random(seed)
    state = machine.initial()
    classes = machine.compiled.classes
    released: set[str] = set()
    for _ in range(2_000):
        name = choose(machine, state)
        if name is None:
            break
        key = MAIN if name.receiver is None else (name.receiver.label, name.label)
        failed = len(state.failed)
        with deep_calls():
            running = machine.step(state, name)
        created = {made.label for made in running.created}
        assert created <= found.creates[key]
        assert {(sent.receiver.label, sent.label) for sent in running.sent if sent.receiver} <= found.calls[key]
        for reference, instance in running.touched.items():
            if reference not in running.created:
                fields = [f"{reference.label}.{field}" for field in classes[reference.label].fields]
                reads = {field for bit, field in enumerate(fields) if instance.read >> bit & 1}
                writes = {field for bit, field in enumerate(fields) if instance.written >> bit & 1}
                assert reads <= found.reads[key]
                assert writes <= found.writes[key]
                if str(name) in released:
                    assert reads <= found.after[key]
        assert not running.texts or OUTPUT in found.writes[key]
        assert len(state.failed) <= failed or key in found.failing
        if name in state.tasks and name.cog not in state.holders:
            assert key in found.releasing
            released.add(str(name))
        assert state.holders.get(name.cog) is not name or key in found.blocking or key in found.releasing
