"""Our version of `itertools`: generators over what they are given, which is asked for its iterator at once as in the
original; compiled, never imported."""

# mypy: ignore-errors


def count(start=0, step=1):
    while True:
        yield start
        start = start + step


def cycle(iterable):
    return _cycling(iter(iterable))


def _cycling(iterable):
    kept = []
    for item in iterable:
        yield item
        kept.append(item)
    while kept:
        for item in kept:
            yield item


def repeat(object, times=None):
    return _repeated(object, None if times is None else c_size(times))


def _repeated(object, times):
    if times is None:
        while True:
            yield object
    for _ in range(times):
        yield object


def _chained(iterables):
    for iterable in iterables:
        for item in iterable:
            yield item


class chain:
    def __init__(self, *iterables):
        self._rest = _chained(iterables)

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._rest)

    @staticmethod
    def from_iterable(iterable):
        return _chained(iterable)


def compress(data, selectors):
    return _compressed(iter(data), iter(selectors))


def _compressed(data, selectors):
    for item, selector in zip(data, selectors):
        if selector:
            yield item


def takewhile(predicate, iterable):
    return _taken(predicate, iter(iterable))


def _taken(predicate, iterable):
    for item in iterable:
        if not predicate(item):
            return
        yield item


def dropwhile(predicate, iterable):
    return _dropped(predicate, iter(iterable))


def _dropped(predicate, iterable):
    dropping = True
    for item in iterable:
        if dropping and predicate(item):
            continue
        dropping = False
        yield item


def filterfalse(predicate, iterable):
    return _refused(predicate, iter(iterable))


def _refused(predicate, iterable):
    for item in iterable:
        if not (item if predicate is None else predicate(item)):
            yield item


def starmap(function, iterable):
    return _mapped(function, iter(iterable))


def _mapped(function, iterable):
    for arguments in iterable:
        yield function(*arguments)


_MISSING = object()


def accumulate(iterable, func=None, *, initial=None):
    return _totals(iter(iterable), func, initial)


def _totals(iterable, func, initial):
    total = _MISSING
    if initial is not None:
        total = initial
        yield total
    for item in iterable:
        if total is _MISSING:
            total = item
        elif func is None:
            total = total + item
        else:
            total = func(total, item)
        yield total


def islice(iterable, *bounds):
    if len(bounds) == 1:
        start, stop, step = 0, bounds[0], 1
    elif len(bounds) == 2:
        start, stop, step = bounds[0], bounds[1], 1
    elif len(bounds) == 3:
        start, stop, step = bounds
    else:
        raise TypeError("islice expected at most 4 arguments")
    start = 0 if start is None else start
    step = 1 if step is None else step
    if start < 0 or (stop is not None and stop < 0):
        raise ValueError("Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
    try:
        c_size(start)
        c_size(0 if stop is None else stop)
    except OverflowError:
        raise ValueError("Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.") from None
    if step < 1:
        raise ValueError("Step for islice() must be a positive integer or None.")
    return _sliced(iter(iterable), start, stop, step)


def _sliced(iterable, start, stop, step):
    position = 0
    wanted = start
    if stop is not None and stop <= 0:
        return
    for item in iterable:
        if position == wanted and (stop is None or position < stop):
            yield item
            wanted = wanted + step
        position = position + 1
        if stop is not None and position >= stop:
            return


def pairwise(iterable):
    return _pairs(iter(iterable))


def _pairs(iterable):
    before = _MISSING
    for item in iterable:
        if before is not _MISSING:
            yield (before, item)
        before = item


def batched(iterable, n):
    if n < 1:
        raise ValueError("n must be at least one")
    return _batches(iter(iterable), n)


def _batches(iterable, n):
    batch = []
    for item in iterable:
        batch.append(item)
        if len(batch) == n:
            yield tuple(batch)
            batch = []
    if batch:
        yield tuple(batch)


def zip_longest(*iterables, fillvalue=None):
    return _rows([iter(iterable) for iterable in iterables], fillvalue)


def _rows(iterators, fillvalue):
    left = len(iterators)
    while left:
        row = []
        for place in range(len(iterators)):
            item = _MISSING
            if iterators[place] is not None:
                item = next(iterators[place], _MISSING)
                if item is _MISSING:
                    iterators[place] = None
                    left = left - 1
                    if left == 0:
                        return
            row.append(fillvalue if item is _MISSING else item)
        yield tuple(row)


def tee(iterable, n=2):
    if n < 0:
        raise ValueError("n must be >= 0")
    if n == 0:
        return ()
    iterator = iter(iterable)
    kept = []
    return tuple([_branch(iterator, kept) for _ in range(n)])


def _branch(iterator, kept):
    position = 0
    while True:
        if position == len(kept):
            item = next(iterator, _MISSING)
            if item is _MISSING:
                return
            kept.append(item)
        yield kept[position]
        position = position + 1


class _Ahead:
    """What `groupby` and the groups that it has given out read from, at most one item ahead."""

    def __init__(self, iterator, function):
        self.iterator = iterator
        self.function = function
        self.waiting = False
        self.item = None
        self.key = None
        self.number = 0

    def read(self):
        item = next(self.iterator, _MISSING)
        if item is _MISSING:
            return False
        self.key = item if self.function is None else self.function(item)
        self.item = item
        self.waiting = True
        return True


def groupby(iterable, key=None):
    return _groups(_Ahead(iter(iterable), key))


def _groups(ahead):
    current = _MISSING
    while True:
        ahead.number += 1
        while not ahead.waiting or (current is not _MISSING and current == ahead.key):
            if not ahead.read():
                return
        current = ahead.key
        yield (current, _members(ahead, current, ahead.number))


def _members(ahead, key, number):
    while ahead.number == number:
        if not ahead.waiting and not ahead.read():
            return
        if not (key == ahead.key):
            return
        ahead.waiting = False
        yield ahead.item


def product(*iterables, repeat=1):
    pools = [tuple(pool) for pool in iterables] * repeat
    rows = [()]
    for pool in pools:
        longer = []
        for row in rows:
            for item in pool:
                longer.append((*row, item))
        rows = longer
    for row in rows:
        yield row


def permutations(iterable, r=None):
    pool = tuple(iterable)
    size = len(pool) if r is None else c_size(r)
    if size < 0:
        raise ValueError("r must be non-negative")
    return _arrangements(pool, size, "permutations")


def combinations(iterable, r):
    if c_size(r) < 0:
        raise ValueError("r must be non-negative")
    return _arrangements(tuple(iterable), r, "combinations")


def combinations_with_replacement(iterable, r):
    if c_size(r) < 0:
        raise ValueError("r must be non-negative")
    return _arrangements(tuple(iterable), r, "repetitions")


def _arrangements(pool, size, kind):
    rows = [()]
    for _ in range(size):
        longer = []
        for row in rows:
            for place in range(len(pool)):
                if kind == "permutations" and place in row:
                    continue
                if kind == "combinations" and row and place <= row[-1]:
                    continue
                if kind == "repetitions" and row and place < row[-1]:
                    continue
                longer.append((*row, place))
        rows = longer
    for row in rows:
        yield tuple([pool[place] for place in row])
