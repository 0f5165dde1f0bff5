"""Our version of some functions of `dataclasses`; compiled by the front end, never imported."""

# mypy: ignore-errors


class _Field:
    def __init__(self, name):
        self.name = name

    def __getattr__(self, name):
        unsupported("attributes of a dataclass field other than its name")


def is_dataclass(obj):
    return hasattr(obj, "__dataclass_fields__")


def fields(class_or_instance):
    if not hasattr(class_or_instance, "__dataclass_fields__"):
        raise TypeError("must be called with a dataclass type or instance")
    result = []
    for name in class_or_instance.__dataclass_fields__:
        result.append(_Field(name))
    return tuple(result)


def replace(obj, /, **changes):
    if not hasattr(obj, "__dataclass_fields__"):
        raise TypeError("replace() should be called on dataclass instances")
    return obj.__replace__(**changes)


@written_for("asdict dict_factory dict True", "astuple tuple_factory tuple False")
def asdict(obj, *, dict_factory=dict):
    if not hasattr(obj, "__dataclass_fields__"):
        raise TypeError("asdict() should be called on dataclass instances")
    return _inner(obj, dict_factory, True)


def _inner(obj, factory, named):
    if hasattr(obj, "__dataclass_fields__"):
        parts = []
        for name in obj.__dataclass_fields__:
            part = _inner(getattr(obj, name), factory, named)
            parts.append((name, part) if named else part)
        return factory(parts)
    if isinstance(obj, list):
        result = []
        for item in obj:
            result.append(_inner(item, factory, named))
        return result
    if isinstance(obj, tuple):
        result = []
        for item in obj:
            result.append(_inner(item, factory, named))
        return tuple(result)
    if isinstance(obj, dict):
        copy = {}
        for key in obj:
            copy[key] = _inner(obj[key], factory, named)
        return copy
    if named and isinstance(obj, set):
        return obj.copy()
    return obj
