"""What classes of the program inherit when they extend a class of the language; compiled, never imported."""

# mypy: ignore-errors


class DictBase:
    _entries: dict

    def __new__(cls, *args, **named):
        self = object.__new__(cls)
        self._entries = {}
        return self

    def __init__(self, *args, **named):
        self._entries.update(*args, **named)

    def __getitem__(self, key):
        if key in self._entries:
            return self._entries[key]
        if hasattr(type(self), "__missing__"):
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
    _items: list

    def __new__(cls, *args, **named):
        self = object.__new__(cls)
        self._items = []
        return self

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


class _Value:
    def __eq__(self, other):
        return self._content == _content(other)

    def __hash__(self):
        return hash(self._content)

    def __repr__(self):
        return repr(self._content)

    def __lt__(self, other):
        return self._content < _content(other)

    def __le__(self, other):
        return self._content <= _content(other)

    def __gt__(self, other):
        return self._content > _content(other)

    def __ge__(self, other):
        return self._content >= _content(other)


class _Number(_Value):
    def __bool__(self):
        return self._content != 0

    def __format__(self, spec):
        return format(self._content, spec) if spec else str(self)

    def __getattr__(self, name):
        return getattr(self._content, name)

    def __neg__(self):
        return -self._content

    def __pos__(self):
        return +self._content

    def __abs__(self):
        return abs(self._content)

    def __round__(self, *digits):
        return round(self._content, *digits)

    def __divmod__(self, other):
        return divmod(self._content, _content(other))

    def __rdivmod__(self, other):
        return divmod(other, self._content)

    def __int__(self):
        return int(self._content)

    def __float__(self):
        return float(self._content)

    def __add__(self, other):
        return self._content + _content(other)

    def __radd__(self, other):
        return other + self._content

    def __sub__(self, other):
        return self._content - _content(other)

    def __rsub__(self, other):
        return other - self._content

    def __mul__(self, other):
        return self._content * _content(other)

    def __rmul__(self, other):
        return other * self._content

    def __truediv__(self, other):
        return self._content / _content(other)

    def __rtruediv__(self, other):
        return other / self._content

    def __floordiv__(self, other):
        return self._content // _content(other)

    def __rfloordiv__(self, other):
        return other // self._content

    def __mod__(self, other):
        return self._content % _content(other)

    def __rmod__(self, other):
        return other % self._content

    def __pow__(self, other):
        return self._content ** _content(other)

    def __rpow__(self, other):
        return other**self._content


class IntBase(_Number):
    def __new__(cls, *args, **named):
        self = object.__new__(cls)
        self._content = int(*args, **named)
        return self

    def __index__(self):
        return self._content

    def __invert__(self):
        return ~self._content

    def __and__(self, other):
        return self._content & _content(other)

    def __rand__(self, other):
        return other & self._content

    def __or__(self, other):
        return self._content | _content(other)

    def __ror__(self, other):
        return other | self._content

    def __xor__(self, other):
        return self._content ^ _content(other)

    def __rxor__(self, other):
        return other ^ self._content

    def __lshift__(self, other):
        return self._content << _content(other)

    def __rlshift__(self, other):
        return other << self._content

    def __rshift__(self, other):
        return self._content >> _content(other)

    def __rrshift__(self, other):
        return other >> self._content


class FloatBase(_Number):
    def __new__(cls, *args, **named):
        self = object.__new__(cls)
        self._content = float(*args, **named)
        return self


class _Sequence(_Value):
    def __len__(self):
        return len(self._content)

    def __iter__(self):
        return iter(self._content)

    def __getitem__(self, index):
        return self._content[index]

    def __add__(self, other):
        return self._content + _content(other)

    def __radd__(self, other):
        return other + self._content

    def __mul__(self, count):
        return self._content * _content(count)

    def __rmul__(self, count):
        return self._content * _content(count)


class StrBase(_Sequence):
    def __new__(cls, *args, **named):
        self = object.__new__(cls)
        self._content = str(*args, **named)
        return self

    def __str__(self):
        return self._content

    def __int__(self):
        return int(self._content)

    def __float__(self):
        return float(self._content)

    def __format__(self, spec):
        return format(self._content, spec) if spec else str(self)

    def __contains__(self, part):
        return _content(part) in self._content

    def __mod__(self, values):
        return self._content % _content(values)

    def __getattr__(self, name):
        return getattr(self._content, name)


class TupleBase(_Sequence):
    def __new__(cls, iterable=()):
        self = object.__new__(cls)
        self._content = tuple(iterable)
        return self

    def __contains__(self, value):
        return value in self._content

    def index(self, value, *bounds):
        return self._content.index(value, *bounds)

    def count(self, value):
        return self._content.count(value)


class SetBase(_Value):
    def __new__(cls, *args, **named):
        self = object.__new__(cls)
        self._content = set()
        return self

    def __init__(self, iterable=()):
        self._content = set(iterable)

    def __repr__(self):
        name = type(self).__name__
        return name + "(" + repr(self._content) + ")" if self._content else name + "()"

    def __eq__(self, other):
        return self._content == _content(other)

    def __len__(self):
        return len(self._content)

    def __iter__(self):
        return iter(self._content)

    def __contains__(self, value):
        return _content(value) in self._content

    def __or__(self, other):
        return self._content | _content(other)

    def __ior__(self, other):
        self._content = self._content | _content(other)
        return self

    def __and__(self, other):
        return self._content & _content(other)

    def __iand__(self, other):
        self._content = self._content & _content(other)
        return self

    def __sub__(self, other):
        return self._content - _content(other)

    def __isub__(self, other):
        self._content = self._content - _content(other)
        return self

    def __xor__(self, other):
        return self._content ^ _content(other)

    def __ixor__(self, other):
        self._content = self._content ^ _content(other)
        return self

    def add(self, value):
        self._content.add(value)

    def discard(self, value):
        self._content.discard(value)

    def remove(self, value):
        self._content.remove(value)

    def pop(self):
        return self._content.pop()

    def clear(self):
        self._content.clear()

    def update(self, *others):
        self._content.update(*[_content(other) for other in others])

    def intersection_update(self, *others):
        self._content.intersection_update(*[_content(other) for other in others])

    def difference_update(self, *others):
        self._content.difference_update(*[_content(other) for other in others])

    def symmetric_difference_update(self, *others):
        self._content.symmetric_difference_update(*[_content(other) for other in others])

    def issubset(self, other):
        return self._content.issubset(_content(other))

    def issuperset(self, other):
        return self._content.issuperset(_content(other))

    def isdisjoint(self, other):
        return self._content.isdisjoint(_content(other))

    def union(self, *others):
        return self._content.union(*[_content(other) for other in others])

    def intersection(self, *others):
        return self._content.intersection(*[_content(other) for other in others])

    def difference(self, *others):
        return self._content.difference(*[_content(other) for other in others])

    def symmetric_difference(self, *others):
        return self._content.symmetric_difference(*[_content(other) for other in others])

    def copy(self):
        return self._content.copy()


def _content(other):
    return other._content if isinstance(other, _Value) else other


class PropertyBase:
    def __init__(self, fget=None, fset=None, fdel=None, doc=None):
        self.fget = fget
        self.fset = fset
        self.fdel = fdel

    def __get__(self, obj, owner=None, /):
        if obj is None:
            return self
        if self.fget is None:
            raise AttributeError("property has no getter")
        return self.fget(obj)

    def __set__(self, obj, value, /):
        if self.fset is None:
            raise AttributeError("property has no setter")
        self.fset(obj, value)

    def __delete__(self, obj, /):
        if self.fdel is None:
            raise AttributeError("property has no deleter")
        self.fdel(obj)

    def getter(self, fget, /):
        return type(self)(fget, self.fset, self.fdel)

    def setter(self, fset, /):
        return type(self)(self.fget, fset, self.fdel)

    def deleter(self, fdel, /):
        return type(self)(self.fget, self.fset, fdel)
