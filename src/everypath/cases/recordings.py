"""What a case did when it was run for real, step by step: a value that the page shows and nothing else needs.

A step is an object of plain JSON values. There are three kinds of recordings, by what a step is:

`lines`: a line that is about to be executed, or the end of a function.

- `at`: which of the calls of the run it belongs to, by number; at the first step of a call also its `file`, `function`
  and `above`, the numbers of the calls around it
- `line`
- `set`: the variables that have changed, with their values; `unset`: those that are gone
- `heap`: the objects that have changed, by name, as they are now
- at the end of a call `returns` (a value) or `raises` (a text)

`turns`: a task of an actor program goes on until it releases its processor, blocks it or ends.

- `task`, `actor`, `method`; `sent`: the tasks that it has created, each with these three
- `lines`: what it executes, as steps of the kind above; the numbers of calls are those of the whole run
- `created`: names of actors; `actors`: the fields that have changed, by actor; `prints`
- `end`: `returns`, `fails`, `waits`, `blocks` or `pauses`; `value`: the result or the exception

`operations`: what one of two threads does.

- `thread` (0 or 1), `file`, `line`, `function`, `text`, and `switched` where the other thread was running just before

Values and the states of objects have the form that they have in the JSON of cases (`json_forms`).
"""

from __future__ import annotations

from typing import Any

from everypath.records import dataclass

LINES, TURNS, OPERATIONS = "lines", "turns", "operations"


@dataclass(frozen=True, slots=True)
class Recording:
    """The steps of one run."""

    kind: str
    steps: tuple[dict[str, Any], ...]
    left_out: int = 0
    """how many more steps there were"""
