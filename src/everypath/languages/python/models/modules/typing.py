"""Our version of what `typing` does when a program runs; compiled by the front end, never imported."""

# mypy: ignore-errors


def NewType(name, tp):
    def new_type(value):
        return value

    return new_type
