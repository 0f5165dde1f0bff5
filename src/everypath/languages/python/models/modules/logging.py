"""Our version of `logging` as long as nobody configures it: messages are computed nowhere and go nowhere; compiled,
never imported."""

# mypy: ignore-errors

_loggers = {}


def getLogger(name=None):
    if not name:
        name = "root"
    if name not in _loggers:
        _loggers[name] = Logger(name)
    return _loggers[name]


class Logger:
    def __init__(self, name, level=0):
        self.name = name
        self.level = level
        self.disabled = False
        self.propagate = True

    def setLevel(self, level):
        if not isinstance(level, int):
            unsupported("a level of logging by name")
        self.level = level

    def getEffectiveLevel(self):
        return self.level if self.level else 30

    def isEnabledFor(self, level):
        return level >= self.getEffectiveLevel()

    @written_for("debug", "info", "warning", "error", "critical")
    def debug(self, msg, *args, **kwargs):
        return None

    def exception(self, msg, *args, exc_info=True, **kwargs):
        return None

    def log(self, level, msg, *args, **kwargs):
        if not isinstance(level, int):
            raise TypeError("level must be an integer")
        return None

    def hasHandlers(self):
        return False

    def getChild(self, suffix):
        return getLogger(suffix if self.name == "root" else self.name + "." + suffix)


@written_for("debug", "info", "warning", "error", "critical")
def debug(msg, *args, **kwargs):
    return None


def exception(msg, *args, exc_info=True, **kwargs):
    return None
