"""Our version of `warnings`: a warning changes nothing that a test observes; compiled, never imported."""

# mypy: ignore-errors


def warn(message, category=None, stacklevel=1, source=None, **options):
    return None


def warn_explicit(message, category, filename, lineno, module=None, registry=None, module_globals=None, source=None):
    return None


def simplefilter(action, category=Warning, lineno=0, append=False):
    if action == "error":
        unsupported("warnings.simplefilter('error'), which turns warnings into exceptions")


def filterwarnings(action, message="", category=Warning, module="", lineno=0, append=False):
    if action == "error":
        unsupported("warnings.filterwarnings('error'), which turns warnings into exceptions")


def resetwarnings():
    return None


class catch_warnings:
    def __init__(self, *, record=False, module=None, action=None, category=Warning, lineno=0, append=False):
        if record:
            unsupported("warnings.catch_warnings(record=True), which keeps what is warned of")

    def __enter__(self):
        return None

    def __exit__(self, *details):
        return None
