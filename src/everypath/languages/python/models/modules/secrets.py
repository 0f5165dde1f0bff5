"""Our version of the functions of `secrets`: what they give is an input of the test; compiled, never imported."""

# mypy: ignore-errors


def randbelow(exclusive_upper_bound):
    if exclusive_upper_bound <= 0:
        fails_itself("secrets.randbelow")
        raise ValueError("Upper bound must be positive.")
    value = any_int("secrets.randbelow")
    only_if(0 <= value)
    only_if(value < exclusive_upper_bound)
    return answered("secrets.randbelow", value)


def randbits(k):
    value = any_int("secrets.randbits")
    only_if(0 <= value)
    only_if(value < 2**k)
    return answered("secrets.randbits", value)


def choice(seq):
    size = len(seq)
    if size == 0:
        fails_itself("secrets.choice")
        raise IndexError("Cannot choose from an empty sequence")
    index = any_int("secrets.choice")
    only_if(0 <= index)
    only_if(index < size)
    answered("secrets.choice", index)
    return seq[index]


def token_bytes(nbytes=None):
    return answered("secrets.token_bytes", bytes(32 if nbytes is None else nbytes))


def token_hex(nbytes=None):
    return answered("secrets.token_hex", "0" * (2 * (32 if nbytes is None else nbytes)))


def token_urlsafe(nbytes=None):
    return answered("secrets.token_urlsafe", "A" * (((32 if nbytes is None else nbytes) * 4 + 2) // 3))
