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

    @written_for("__len__ len", "__iter__ iter", "__reversed__ reversed", "__repr__ repr")
    def __len__(self):
        return len(self._entries)

    def __eq__(self, other):
        if isinstance(other, DictBase):
            return self._entries == other._entries
        if isinstance(other, dict):
            return self._entries == other
        return NotImplemented

    def __or__(self, other):
        return self._entries | dict(other)

    @written_for("keys", "values", "items", "popitem", "clear", "copy")
    def keys(self):
        return self._entries.keys()

    def get(self, key, default=None):
        return self._entries[key] if key in self._entries else default

    def setdefault(self, key, default=None):
        return self._entries.setdefault(key, default)

    def pop(self, key, *default):
        return self._entries.pop(key, *default)

    def update(self, *args, **named):
        self._entries.update(*args, **named)


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

    @written_for("__len__ len", "__iter__ iter", "__reversed__ reversed", "__repr__ repr")
    def __len__(self):
        return len(self._items)

    def __eq__(self, other):
        if isinstance(other, ListBase):
            return self._items == other._items
        if isinstance(other, list):
            return self._items == other
        return NotImplemented

    @written_for("__lt__ <", "__le__ <=", "__gt__ >", "__ge__ >=")
    def __lt__(self, other):
        return self._items < _plain(other)

    def __add__(self, other):
        return self._items + _plain(other)

    def __radd__(self, other):
        return other + self._items

    def __iadd__(self, other):
        self._items.extend(other)
        return self

    def __mul__(self, count):
        return self._items * count

    @written_for("append", "extend", "remove", "count")
    def append(self, value):
        return self._items.append(value)

    def insert(self, index, value):
        self._items.insert(index, value)

    def pop(self, index=-1):
        return self._items.pop(index)

    @written_for("clear", "reverse", "copy")
    def clear(self):
        return self._items.clear()

    def index(self, value, *bounds):
        return self._items.index(value, *bounds)

    def sort(self, *, key=None, reverse=False):
        self._items.sort(key=key, reverse=reverse)


def _plain(other):
    return other._items if isinstance(other, ListBase) else other


class _Value:
    def __eq__(self, other):
        return self._content == _content(other)

    @written_for("__hash__ hash", "__repr__ repr")
    def __hash__(self):
        return hash(self._content)

    @written_for("__lt__ <", "__le__ <=", "__gt__ >", "__ge__ >=")
    def __lt__(self, other):
        return self._content < _content(other)


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

    @written_for("__abs__ abs", "__int__ int", "__float__ float")
    def __abs__(self):
        return abs(self._content)

    def __round__(self, *digits):
        return round(self._content, *digits)

    def __divmod__(self, other):
        return divmod(self._content, _content(other))

    def __rdivmod__(self, other):
        return divmod(other, self._content)

    @written_for("__add__ +", "__sub__ -", "__mul__ *", "__truediv__ /", "__floordiv__ //", "__mod__ %", "__pow__ **")
    def __add__(self, other):
        return self._content + _content(other)

    @written_for(
        "__radd__ +", "__rsub__ -", "__rmul__ *", "__rtruediv__ /", "__rfloordiv__ //", "__rmod__ %", "__rpow__ **"
    )
    def __radd__(self, other):
        return other + self._content


class IntBase(_Number):
    def __new__(cls, *args, **named):
        self = object.__new__(cls)
        self._content = int(*args, **named)
        return self

    def __index__(self):
        return self._content

    def __invert__(self):
        return ~self._content

    @written_for("__and__ &", "__or__ |", "__xor__ ^", "__lshift__ <<", "__rshift__ >>")
    def __and__(self, other):
        return self._content & _content(other)

    @written_for("__rand__ &", "__ror__ |", "__rxor__ ^", "__rlshift__ <<", "__rrshift__ >>")
    def __rand__(self, other):
        return other & self._content


class FloatBase(_Number):
    def __new__(cls, *args, **named):
        self = object.__new__(cls)
        self._content = float(*args, **named)
        return self


class _Sequence(_Value):
    @written_for("__len__ len", "__iter__ iter")
    def __len__(self):
        return len(self._content)

    def __getitem__(self, index):
        return self._content[index]

    def __add__(self, other):
        return self._content + _content(other)

    def __radd__(self, other):
        return other + self._content

    @written_for("__mul__", "__rmul__")
    def __mul__(self, count):
        return self._content * _content(count)


class StrBase(_Sequence):
    def __new__(cls, *args, **named):
        self = object.__new__(cls)
        self._content = str(*args, **named)
        return self

    def __str__(self):
        return self._content

    @written_for("__int__ int", "__float__ float")
    def __int__(self):
        return int(self._content)

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

    @written_for("__len__ len", "__iter__ iter")
    def __len__(self):
        return len(self._content)

    def __contains__(self, value):
        return _content(value) in self._content

    @written_for("__or__ |", "__and__ &", "__sub__ -", "__xor__ ^")
    def __or__(self, other):
        return self._content | _content(other)

    @written_for("__ior__ |", "__iand__ &", "__isub__ -", "__ixor__ ^")
    def __ior__(self, other):
        self._content = self._content | _content(other)
        return self

    @written_for("add", "discard", "remove")
    def add(self, value):
        self._content.add(value)

    @written_for("pop", "clear", "copy")
    def pop(self):
        return self._content.pop()

    @written_for("issubset", "issuperset", "isdisjoint")
    def issubset(self, other):
        return self._content.issubset(_content(other))

    @written_for("union", "intersection", "difference", "symmetric_difference")
    def union(self, *others):
        return self._content.union(*[_content(other) for other in others])

    @written_for("update", "intersection_update", "difference_update", "symmetric_difference_update")
    def update(self, *others):
        self._content.update(*[_content(other) for other in others])


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
