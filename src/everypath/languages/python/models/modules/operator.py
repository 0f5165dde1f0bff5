"""Our version of the classes of `operator` and of its searches; compiled, never imported."""

# mypy: ignore-errors


class itemgetter:
    def __init__(self, item, /, *items):
        self._items = (item, *items)

    def __call__(self, obj, /):
        if len(self._items) == 1:
            return obj[self._items[0]]
        return tuple([obj[item] for item in self._items])


class attrgetter:
    def __init__(self, attr, /, *attrs):
        for name in (attr, *attrs):
            if not isinstance(name, str):
                raise TypeError("attribute name must be a string")
        self._paths = [name.split(".") for name in (attr, *attrs)]

    def __call__(self, obj, /):
        if len(self._paths) == 1:
            return _followed(obj, self._paths[0])
        return tuple([_followed(obj, path) for path in self._paths])


def _followed(obj, path):
    for name in path:
        obj = getattr(obj, name)
    return obj


class methodcaller:
    def __init__(self, name, /, *args, **kwargs):
        if not isinstance(name, str):
            raise TypeError("method name must be a string")
        self._name = name
        self._args = args
        self._kwargs = kwargs

    def __call__(self, obj, /):
        return getattr(obj, self._name)(*self._args, **self._kwargs)


def countOf(a, b, /):
    total = 0
    for item in a:
        if item is b or item == b:
            total = total + 1
    return total


def indexOf(a, b, /):
    place = 0
    for item in a:
        if item is b or item == b:
            return place
        place = place + 1
    raise ValueError("sequence.index(x): x not in sequence")
