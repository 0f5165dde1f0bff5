"""Our version of the containers in `collections`; compiled, never imported.

# mypy: ignore-errors

Mappings keep their entries in `content`: where one is part of a test's result, it is compared as a dict.
"""


class _Mapping:
    def __init__(self, *source, **named):
        if len(source) > 1:
            raise TypeError("expected at most 1 argument")
        self.content = {}
        self.update(*source, **named)

    def __getitem__(self, key):
        if key in self.content:
            return self.content[key]
        return self.__missing__(key)

    def __missing__(self, key):
        raise KeyError(key)

    def __setitem__(self, key, value):
        self.content[key] = value

    def __delitem__(self, key):
        del self.content[key]

    def __len__(self):
        return len(self.content)

    def __contains__(self, key):
        return key in self.content

    def __iter__(self):
        return iter(self.content)

    def __reversed__(self):
        return reversed(list(self.content))

    def __eq__(self, other):
        if isinstance(other, _Mapping):
            return self.content == other.content
        return self.content == other

    def __or__(self, other):
        result = self.copy()
        result.update(other)
        return result

    def __ior__(self, other):
        self.update(other)
        return self

    @written_for("keys", "values", "items", "popitem")
    def keys(self):
        return self.content.keys()

    def get(self, key, default=None):
        return self.content.get(key, default)

    def pop(self, key, *default):
        if default:
            return self.content.pop(key, default[0])
        return self.content.pop(key)

    def setdefault(self, key, default=None):
        return self.content.setdefault(key, default)

    def update(self, *source, **named):
        for each in source:
            if isinstance(each, _Mapping):
                each = each.content
            self.content.update(each)
        for key in named:
            self.content[key] = named[key]

    def clear(self):
        self.content.clear()


class OrderedDict(_Mapping):
    def __eq__(self, other):
        if isinstance(other, OrderedDict):
            return list(self.content.items()) == list(other.content.items())
        if isinstance(other, _Mapping):
            return self.content == other.content
        return self.content == other

    def copy(self):
        return OrderedDict(self.content)

    def popitem(self, last=True):
        if last:
            return self.content.popitem()
        if not self.content:
            raise KeyError("dictionary is empty")
        key = next(iter(self.content))
        return (key, self.content.pop(key))

    def move_to_end(self, key, last=True):
        value = self.content.pop(key)
        if last:
            self.content[key] = value
        else:
            rest = self.content.copy()
            self.content.clear()
            self.content[key] = value
            self.content.update(rest)

    @staticmethod
    def fromkeys(iterable, value=None):
        result = OrderedDict()
        for key in iterable:
            result.content[key] = value
        return result


class defaultdict(_Mapping):
    def __init__(self, default_factory=None, *source, **named):
        if default_factory is not None and not callable(default_factory):
            raise TypeError("first argument must be callable or None")
        self.default_factory = default_factory
        self.content = {}
        self.update(*source, **named)

    def __missing__(self, key):
        if self.default_factory is None:
            raise KeyError(key)
        value = self.default_factory()
        self.content[key] = value
        return value

    def copy(self):
        return defaultdict(self.default_factory, self.content)


class Counter(_Mapping):
    def __init__(self, iterable=None, /, **named):
        self.content = {}
        self.update(iterable, **named)

    def __missing__(self, key):
        return 0

    def __delitem__(self, key):
        if key in self.content:
            del self.content[key]

    def copy(self):
        return Counter(self)

    def _add(self, iterable, sign):
        if iterable is not None:
            if isinstance(iterable, _Mapping):
                iterable = iterable.content
            if isinstance(iterable, dict):
                for key in iterable:
                    self.content[key] = self.content.get(key, 0) + sign * iterable[key]
            else:
                for key in iterable:
                    self.content[key] = self.content.get(key, 0) + sign

    def update(self, iterable=None, /, **named):
        self._add(iterable, 1)
        if named:
            self._add(named, 1)

    def subtract(self, iterable=None, /, **named):
        self._add(iterable, -1)
        if named:
            self._add(named, -1)

    def elements(self):
        for key, times in self.content.items():
            for _ in range(times):
                yield key

    def most_common(self, n=None):
        ordered = sorted(self.content.items(), key=lambda entry: entry[1], reverse=True)
        return ordered if n is None else ordered[: n if n > 0 else 0]

    def total(self):
        return sum(self.content.values())

    def _combined(self, other, choose):
        result = Counter()
        for key in [*self.content, *[k for k in other.content if k not in self.content]]:
            number = choose(self[key], other[key])
            if number > 0:
                result.content[key] = number
        return result

    @written_for("__add__ +", "__sub__ -")
    def __add__(self, other):
        return self._combined(other, lambda a, b: a + b)

    @written_for("__and__ <", "__or__ >")
    def __and__(self, other):
        return self._combined(other, lambda a, b: a if a < b else b)

    def __pos__(self):
        return self + Counter()

    @written_for("__iadd__ +", "__isub__ -")
    def __iadd__(self, other):
        self.content = (self + other).content
        return self


class deque:
    maxlen: None
    _items: list

    def __init__(self, iterable=(), maxlen=None):
        if maxlen is not None and c_size(maxlen) < 0:
            raise ValueError("maxlen must be non-negative")
        self.maxlen = maxlen
        self._items = []
        self.extend(iterable)

    def append(self, x, /):
        self._items.append(x)
        if self.maxlen is not None and len(self._items) > self.maxlen:
            self._items.pop(0)

    def appendleft(self, x, /):
        self._items.insert(0, x)
        if self.maxlen is not None and len(self._items) > self.maxlen:
            self._items.pop()

    def extend(self, iterable, /):
        for item in list(iter(iterable)):
            self.append(item)

    def extendleft(self, iterable, /):
        for item in list(iter(iterable)):
            self.appendleft(item)

    def pop(self):
        if not self._items:
            raise IndexError("pop from an empty deque")
        return self._items.pop()

    def popleft(self):
        if not self._items:
            raise IndexError("pop from an empty deque")
        return self._items.pop(0)

    def clear(self):
        self._items = []

    def copy(self):
        return deque(self._items, self.maxlen)

    def count(self, x, /):
        return self._items.count(x)

    def index(self, x, /, *bounds):
        return self._items.index(x, *bounds)

    def insert(self, i, x, /):
        if self.maxlen is not None and len(self._items) >= self.maxlen:
            raise IndexError("deque already at its maximum size")
        self._items.insert(i, x)

    def remove(self, value, /):
        for i in range(len(self._items)):
            if self._items[i] == value:
                del self._items[i]
                return
        raise ValueError("deque.remove(x): x not in deque")

    def reverse(self):
        self._items.reverse()

    def rotate(self, n=1, /):
        c_size(n)
        size = len(self._items)
        if size > 0:
            n = n % size
            self._items = self._items[size - n :] + self._items[: size - n]

    @written_for("__len__ len", "__iter__ iter", "__reversed__ reversed")
    def __len__(self):
        return len(self._items)

    def __contains__(self, x):
        return x in self._items

    def __getitem__(self, i):
        if not -len(self._items) <= i < len(self._items):
            raise IndexError("deque index out of range")
        return self._items[i]

    def __setitem__(self, i, value):
        if not -len(self._items) <= i < len(self._items):
            raise IndexError("deque index out of range")
        self._items[i] = value

    def __delitem__(self, i):
        if not -len(self._items) <= i < len(self._items):
            raise IndexError("deque index out of range")
        del self._items[i]

    def __eq__(self, other):
        if not isinstance(other, deque):
            return NotImplemented
        return self._items == other._items

    @written_for("__lt__ <", "__le__ <=", "__gt__ >", "__ge__ >=")
    def __lt__(self, other):
        return self._items < other._items if isinstance(other, deque) else NotImplemented

    @written_for("__mul__", "__rmul__")
    def __mul__(self, times):
        return deque(self._items * times, self.maxlen)

    def __imul__(self, times):
        repeated = self._items * times
        self._items = []
        self.extend(repeated)
        return self

    def __add__(self, other):
        if not isinstance(other, deque):
            raise TypeError("can only concatenate deque to deque")
        result = self.copy()
        result.extend(other._items)
        return result

    def __iadd__(self, other):
        self.extend(other)
        return self
