"""Our version of what `platform` tells about the machine, which is an input of the test; compiled, never imported."""

# mypy: ignore-errors


def _told(function):
    before = last_answer(function)
    return answered(function, any_text(function) if before is None else before)


@written_for("system", "machine", "node", "release", "version", "processor", "python_implementation", "python_version")
def system():
    return _told("platform.system")


def python_version_tuple():
    function = "platform.python_version_tuple"
    before = last_answer(function)
    return answered(function, any_of(function, (("3", "12", "1"), ("2", "7", "18"))) if before is None else before)
