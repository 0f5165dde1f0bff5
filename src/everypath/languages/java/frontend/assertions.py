"""Which errors are those of an `assert`: compilers write it as a test of `$assertionsDisabled` and a throw."""

from __future__ import annotations

from everypath.languages.java.classfile.constants import MemberConstant
from everypath.languages.java.classfile.model import Code

ASSERTION_ERROR = "java/lang/AssertionError"
ASSERT = "$assert"
"""the field that marks an error as that of an assertion"""
_DISABLED = "$assertionsDisabled"


def is_assertion(code: Code, offset: int) -> bool:
    """Whether the error that is made at an offset belongs to an `assert`, and is not thrown by other code."""
    for read, test in zip(code.instructions, code.instructions[1:]):
        # Where assertions are off, the jump leads past the whole statement.
        about = isinstance(read.operand, MemberConstant) and read.operand.name == _DISABLED
        if about and isinstance(test.operand, int) and test.offset < offset < test.operand:
            return True
    return False
