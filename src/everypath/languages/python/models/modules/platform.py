"""Our version of what `platform` tells about the machine, which is an input of the test; compiled, never imported."""

# mypy: ignore-errors


def _told(function):
    before = last_answer(function)
    return answered(function, any_text(function) if before is None else before)


def system():
    return _told("platform.system")


def machine():
    return _told("platform.machine")


def node():
    return _told("platform.node")


def release():
    return _told("platform.release")


def version():
    return _told("platform.version")


def processor():
    return _told("platform.processor")


def python_implementation():
    return _told("platform.python_implementation")


def python_version():
    return _told("platform.python_version")


def python_version_tuple():
    function = "platform.python_version_tuple"
    before = last_answer(function)
    return answered(function, any_of(function, (("3", "12", "1"), ("2", "7", "18"))) if before is None else before)
