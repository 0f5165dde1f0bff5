"""Our version of what `os` gives that is different each time; compiled, never imported."""

# mypy: ignore-errors


def urandom(size, /):
    return answered("os.urandom", bytes(size))


@written_for("getpid", "cpu_count")
def getpid():
    before = last_answer("os.getpid")
    if before is not None:
        return answered("os.getpid", before)
    value = any_int("os.getpid")
    only_if(0 < value)
    return answered("os.getpid", value)


class _Environ:
    def __getitem__(self, key):
        value = environment_variable(key)
        if value is None:
            raise KeyError(key)
        return value

    def __contains__(self, key):
        return environment_variable(key) is not None

    def get(self, key, default=None):
        value = environment_variable(key)
        return default if value is None else value

    def __getattr__(self, name):
        unsupported("os.environ." + name + ", which reads or changes more than one variable")

    def __setitem__(self, key, value):
        unsupported("changing the environment")

    def __delitem__(self, key):
        unsupported("changing the environment")

    def __iter__(self):
        unsupported("all variables of the environment")

    def __len__(self):
        unsupported("all variables of the environment")


environ = _Environ()


def getenv(key, default=None):
    value = environment_variable(key)
    return default if value is None else value
