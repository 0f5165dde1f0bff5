"""Our version of `functools`, as far as it differs from the library's own source; compiled, never imported."""

# mypy: ignore-errors


class partial:
    def __init__(self, func, /, *args, **keywords):
        if isinstance(func, partial):
            args = func.args + args
            keywords = {**func.keywords, **keywords}
            func = func.func
        self.func = func
        self.args = args
        self.keywords = keywords

    def __call__(self, /, *args, **keywords):
        merged = {**self.keywords, **keywords}
        return self.func(*self.args, *args, **merged)


class _Cached:
    def __init__(self, function, maxsize):
        self.__wrapped__ = function
        self.maxsize = maxsize
        self.entries = {}
        self.hits = 0
        self.misses = 0

    def __call__(self, *args, **named):
        if self.maxsize == 0:
            self.misses += 1
            return self.__wrapped__(*args, **named)
        key = args
        if named:
            key = (*args, None, *named.items())
        if key in self.entries:
            self.hits += 1
            return self.entries[key]
        self.misses += 1
        result = self.__wrapped__(*args, **named)
        if self.maxsize is not None and len(self.entries) >= self.maxsize:
            unsupported("a cache that is full")
        self.entries[key] = result
        return result

    def cache_clear(self):
        self.entries = {}
        self.hits = 0
        self.misses = 0


def update_wrapper(wrapper, wrapped, assigned=(), updated=()):
    # The rest of what it copies, such as the docstring, decides nothing.
    try:
        wrapper.__name__ = wrapped.__name__
    except AttributeError:
        pass
    wrapper.__wrapped__ = wrapped
    return wrapper


def lru_cache(maxsize=128, typed=False):
    if callable(maxsize):
        return _Cached(maxsize, 128)

    def decorate(function):
        return _Cached(function, maxsize)

    return decorate


def cache(function):
    return _Cached(function, None)


class cached_property:
    pass


class _Dispatcher:
    def __init__(self, function):
        self.function = function
        self.registry = []

    def register(self, cls, function=None):
        if function is not None:
            self.registry.append((cls, function))
            return function
        return unsupported("register() of a single-dispatch function at run time")

    def dispatch(self, kind):
        best = None
        chosen = self.function
        for cls, function in self.registry:
            if issubclass(kind, cls) and (best is None or issubclass(cls, best)):
                best = cls
                chosen = function
        return chosen

    def __call__(self, *args, **named):
        return self.dispatch(type(args[0]))(*args, **named)


def singledispatch(function):
    return _Dispatcher(function)


class _Key:
    def __init__(self, compare, obj):
        self.compare = compare
        self.obj = obj

    @written_for("__lt__ <", "__le__ <=", "__gt__ >", "__ge__ >=", "__eq__ ==")
    def __lt__(self, other):
        return self.compare(self.obj, other.obj) < 0


def cmp_to_key(compare):
    def key(obj):
        return _Key(compare, obj)

    return key
