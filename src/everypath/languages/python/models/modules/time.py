"""Our version of the clocks of `time`: what they show is an input of the test; compiled, never imported."""

# mypy: ignore-errors


def _later(function, before):
    return answered(function, before + any_float(function, 0.0, 1e6))


def _elapsed(function):
    before = last_answer(function)
    # Only differences between two readings mean anything, so that the first may be any number.
    return answered(function, any_of(function, (1000.0,))) if before is None else _later(function, before)


def _nanoseconds(function):
    value = any_int(function)
    before = last_answer(function)
    only_if(0 <= value if before is None else before <= value)
    return answered(function, value)


def time():
    before = last_answer("time.time")
    if before is None:
        return answered("time.time", any_float("time.time", 0.0, 4e9))
    return _later("time.time", before)


@written_for("monotonic", "perf_counter", "process_time")
def monotonic():
    return _elapsed("time.monotonic")


@written_for("time_ns", "monotonic_ns", "perf_counter_ns", "process_time_ns")
def time_ns():
    return _nanoseconds("time.time_ns")


def sleep(seconds):
    if seconds < 0:
        fails_itself("time.sleep")
        raise ValueError("sleep length must be non-negative")
    answered("time.sleep", None)
