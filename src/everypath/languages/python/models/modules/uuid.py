"""Our version of the identifiers of `uuid` that are different each time; compiled, never imported."""

# mypy: ignore-errors


def uuid4():
    return answered("uuid.uuid4", any_uuid("uuid.uuid4"))


def uuid1(node=None, clock_seq=None):
    return answered("uuid.uuid1", any_uuid("uuid.uuid1"))
