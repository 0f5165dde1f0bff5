"""Our version of `warnings`: a warning changes nothing that a test observes; compiled, never imported."""

# mypy: ignore-errors


def warn(message, category=None, stacklevel=1, source=None, **options):
    return None


def warn_explicit(message, category, filename, lineno, **options):
    return None


def simplefilter(action, **options):
    return None


def filterwarnings(action, **options):
    return None
