"""What classes of the program inherit when they extend `dict` or `list`; compiled by the front end, never imported."""

# mypy: ignore-errors


class DictBase:
    def __init__(self, *args, **named):
        self._entries = dict(*args, **named)

    def __getitem__(self, key):
        if key in self._entries:
            return self._entries[key]
        if hasattr(self, "__missing__"):
            return self.__missing__(key)
        raise KeyError(key)

    def __setitem__(self, key, value):
        self._entries[key] = value

    def __delitem__(self, key):
        del self._entries[key]

    def __contains__(self, key):
        return key in self._entries

    def __len__(self):
        return len(self._entries)

    def __iter__(self):
        return iter(self._entries)

    def __reversed__(self):
        return reversed(self._entries)

    def __eq__(self, other):
        if isinstance(other, DictBase):
            return self._entries == other._entries
        if isinstance(other, dict):
            return self._entries == other
        return NotImplemented

    def __repr__(self):
        return repr(self._entries)

    def __or__(self, other):
        return self._entries | dict(other)

    def keys(self):
        return self._entries.keys()

    def values(self):
        return self._entries.values()

    def items(self):
        return self._entries.items()

    def get(self, key, default=None):
        return self._entries[key] if key in self._entries else default

    def setdefault(self, key, default=None):
        return self._entries.setdefault(key, default)

    def pop(self, key, *default):
        return self._entries.pop(key, *default)

    def popitem(self):
        return self._entries.popitem()

    def update(self, *args, **named):
        self._entries.update(*args, **named)

    def clear(self):
        self._entries.clear()

    def copy(self):
        return self._entries.copy()


class ListBase:
    def __init__(self, iterable=()):
        self._items = list(iterable)

    def __getitem__(self, index):
        return self._items[index]

    def __setitem__(self, index, value):
        self._items[index] = value

    def __delitem__(self, index):
        del self._items[index]

    def __contains__(self, value):
        return value in self._items

    def __len__(self):
        return len(self._items)

    def __iter__(self):
        return iter(self._items)

    def __reversed__(self):
        return reversed(self._items)

    def __eq__(self, other):
        if isinstance(other, ListBase):
            return self._items == other._items
        if isinstance(other, list):
            return self._items == other
        return NotImplemented

    def __lt__(self, other):
        return self._items < _plain(other)

    def __le__(self, other):
        return self._items <= _plain(other)

    def __gt__(self, other):
        return self._items > _plain(other)

    def __ge__(self, other):
        return self._items >= _plain(other)

    def __repr__(self):
        return repr(self._items)

    def __add__(self, other):
        return self._items + _plain(other)

    def __radd__(self, other):
        return other + self._items

    def __iadd__(self, other):
        self._items.extend(other)
        return self

    def __mul__(self, count):
        return self._items * count

    def append(self, value):
        self._items.append(value)

    def extend(self, values):
        self._items.extend(values)

    def insert(self, index, value):
        self._items.insert(index, value)

    def remove(self, value):
        self._items.remove(value)

    def pop(self, index=-1):
        return self._items.pop(index)

    def clear(self):
        self._items.clear()

    def index(self, value, *bounds):
        return self._items.index(value, *bounds)

    def count(self, value):
        return self._items.count(value)

    def sort(self, *, key=None, reverse=False):
        self._items.sort(key=key, reverse=reverse)

    def reverse(self):
        self._items.reverse()

    def copy(self):
        return self._items.copy()


def _plain(other):
    return other._items if isinstance(other, ListBase) else other
