"""Our version of the functions of `random`: what they give is an input of the test; compiled, never imported."""

# mypy: ignore-errors


def random():
    value = any_float("random.random", 0.0, 0.9999999999999999)
    return answered("random.random", value)


def uniform(a, b):
    share = any_float("random.uniform", 0.0, 1.0)
    return answered("random.uniform", a + (b - a) * share)


def triangular(low=0.0, high=1.0, mode=None):
    share = any_float("random.triangular", 0.0, 1.0)
    return answered("random.triangular", low + (high - low) * share)


@written_for("gauss", "normalvariate")
def gauss(mu=0.0, sigma=1.0):
    return answered("random.gauss", mu + any_float("random.gauss", -9.0, 9.0) * sigma)


def expovariate(lambd=1.0):
    if lambd == 0.0:
        fails_itself("random.expovariate")
        raise ZeroDivisionError("float division by zero")
    return answered("random.expovariate", any_float("random.expovariate", 0.0, 99.0) / lambd)


def seed(a=None, version=2):
    return None


def randint(a, b):
    if b < a:
        fails_itself("random.randint")
        raise ValueError("empty range for randint()")
    value = any_int("random.randint")
    only_if(a <= value)
    only_if(value <= b)
    return answered("random.randint", value)


def randrange(start, stop=None, step=1):
    if stop is None:
        start, stop = 0, start
    if step == 0:
        fails_itself("random.randrange")
        raise ValueError("zero step for randrange()")
    if step > 0:
        count = (stop - start + step - 1) // step
    else:
        count = (stop - start + step + 1) // step
    if count <= 0:
        fails_itself("random.randrange")
        raise ValueError("empty range for randrange()")
    index = any_int("random.randrange")
    only_if(0 <= index)
    only_if(index < count)
    return answered("random.randrange", start + step * index)


def getrandbits(k):
    if k < 0:
        fails_itself("random.getrandbits")
        raise ValueError("number of bits must be non-negative")
    value = any_int("random.getrandbits")
    only_if(0 <= value)
    only_if(value < 2**k)
    return answered("random.getrandbits", value)


def randbytes(n):
    return answered("random.randbytes", bytes(n))


def choice(seq):
    size = len(seq)
    if size == 0:
        fails_itself("random.choice")
        raise IndexError("Cannot choose from an empty sequence")
    index = any_int("random.choice")
    only_if(0 <= index)
    only_if(index < size)
    answered("random.choice", index)
    return seq[index]


def choices(population, weights=None, *, cum_weights=None, k=1):
    size = len(population)
    if size == 0 or weights is not None and len(weights) != size:
        unsupported("random.choices() with nothing to choose from, or with weights that do not fit")
    indices = []
    for number in range(k):
        if number < 3:
            index = any_int("random.choices")
            only_if(0 <= index)
            only_if(index < size)
        indices.append(index)
    answered("random.choices", tuple(indices))
    return [population[index] for index in indices]


def sample(population, k, *, counts=None):
    if counts is not None:
        unsupported("random.sample() with counts")
    size = len(population)
    if not 0 <= k <= size:
        fails_itself("random.sample")
        raise ValueError("Sample larger than population or is negative")
    indices = list(range(k))
    if any_of("random.sample", (False, True)):
        indices = [size - 1 - index for index in indices]
    answered("random.sample", tuple(indices))
    return [population[index] for index in indices]


def shuffle(x):
    turned = False
    if len(x) > 1:
        turned = any_of("random.shuffle", (False, True))
    answered("random.shuffle", turned)
    if turned:
        x.reverse()
