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


@written_for("asdict dict_factory dict _inner", "astuple tuple_factory tuple _inner_tuple")
def asdict(obj, *, dict_factory=dict):
    if not hasattr(obj, "__dataclass_fields__"):
        raise TypeError("asdict() should be called on dataclass instances")
    return _inner(obj, dict_factory)


def _inner(obj, factory):
    if hasattr(obj, "__dataclass_fields__"):
        pairs = []
        for name in obj.__dataclass_fields__:
            pairs.append((name, _inner(getattr(obj, name), factory)))
        return factory(pairs)
    if isinstance(obj, list):
        result = []
        for item in obj:
            result.append(_inner(item, factory))
        return result
    if isinstance(obj, tuple):
        result = []
        for item in obj:
            result.append(_inner(item, factory))
        return tuple(result)
    if isinstance(obj, dict):
        copy = {}
        for key in obj:
            copy[key] = _inner(obj[key], factory)
        return copy
    if isinstance(obj, set):
        return obj.copy()
    return obj


def _inner_tuple(obj, factory):
    if hasattr(obj, "__dataclass_fields__"):
        values = []
        for name in obj.__dataclass_fields__:
            values.append(_inner_tuple(getattr(obj, name), factory))
        return factory(values)
    if isinstance(obj, list):
        result = []
        for item in obj:
            result.append(_inner_tuple(item, factory))
        return result
    if isinstance(obj, tuple):
        result = []
        for item in obj:
            result.append(_inner_tuple(item, factory))
        return tuple(result)
    if isinstance(obj, dict):
        copy = {}
        for key in obj:
            copy[key] = _inner_tuple(obj[key], factory)
        return copy
    return obj
