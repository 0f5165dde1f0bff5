"""How an operation leaves the straight line: an exception of the program, or a call it needs made."""

from __future__ import annotations

from collections.abc import Sequence

from everypath.explore.outcomes import Outcome
from everypath.explore.state import Post, State
from everypath.heap.values import Data, Ref, Value
from everypath.ir.program import Method


class Raise(Exception):
    """The program raises this exception: an object, or data where the language has it so."""

    def __init__(self, exception: Ref | Data) -> None:
        self.exception = exception


class Fault(Exception):
    """A runtime error of the language: the machine makes the exception object."""

    def __init__(self, cls: str, *args: Value, fields: dict[str, Value] | None = None) -> None:
        self.cls = cls
        self.arguments = args
        self.fields = fields or {}
        """attributes that an exception of the library has besides its arguments"""


class Ended(Exception):
    """The path is over, whatever handlers there are."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome


class Invoke(Exception):
    """The operation's result is that of calling the method, after `post` has had a look at it.

    With `again`, the result is only kept by `post`, and the instruction is executed once more.
    """

    def __init__(
        self,
        method: Method,
        args: Sequence[Value],
        post: Post | None = None,
        keywords: dict[str, Value] | None = None,
        again: bool = False,
    ) -> None:
        self.method = method
        self.arguments = args
        self.post = post
        self.keywords = keywords or {}
        self.again = again

    def followed_by(self, then: Post) -> Invoke:
        """The same call, with one more look at the result of the operation."""
        if self.again:
            return self
        post = self.post

        def both(state: State, found: Value) -> Value:
            return then(state, found if post is None else post(state, found))

        return Invoke(self.method, self.arguments, both, self.keywords)
