"""Our version of `io.StringIO`; compiled, never imported."""

# mypy: ignore-errors


def text_encoding(encoding, stacklevel=2, /):
    return "locale" if encoding is None else encoding


class StringIO:
    # An input is a stream that nobody has used yet: None stands for its start, and for being open.
    _text: str
    _place: None
    _closed: None

    def __init__(self, initial_value="", newline="\n"):
        self._text = "" if initial_value is None else initial_value
        self._place = None
        self._closed = None

    @property
    def closed(self):
        return self._closed is not None

    def _start(self):
        if self._closed is not None:
            raise ValueError("I/O operation on closed file")
        return 0 if self._place is None else self._place

    def getvalue(self):
        self._start()
        return self._text

    def read(self, size=-1, /):
        start = self._start()
        if size is not None and 0 <= size and start + size <= len(self._text):
            # The place stays a known number where the size is one.
            self._place = start + size
            return self._text[start : start + size]
        self._place = max(start, len(self._text))
        return self._text[start:]

    def readline(self, size=-1, /):
        start = self._start()
        end = self._text.find("\n", start)
        stop = len(self._text) if end < 0 else end + 1
        if size is not None and 0 <= size < stop - start:
            stop = start + size
        if stop < start:
            return ""
        self._place = stop
        return self._text[start:stop]

    def readlines(self, hint=-1, /):
        self._start()
        return list(self)

    def write(self, s, /):
        start = self._start()
        if not isinstance(s, str):
            raise TypeError("string argument expected")
        size = len(s)
        if start == len(self._text):
            self._text = self._text + s
        else:
            before = self._text[:start]
            before = before + "\0" * (start - len(before))
            self._text = before + s + self._text[start + size :]
        self._place = start + size
        return size

    def writelines(self, lines, /):
        self._start()
        for line in lines:
            self.write(line)

    def seek(self, cookie, whence=0, /):
        start = self._start()
        if whence == 0:
            if cookie < 0:
                raise ValueError("Negative seek position")
            self._place = cookie
            return cookie
        if whence != 1 and whence != 2:
            raise ValueError("Invalid whence")
        if cookie != 0:
            raise OSError("Can't do nonzero cur-relative seeks")
        if whence == 2:
            self._place = len(self._text)
            return self._place
        return start

    def tell(self):
        return self._start()

    def truncate(self, pos=None, /):
        start = self._start()
        size = start if pos is None else pos
        if size < 0:
            raise ValueError("Negative size value")
        self._text = self._text[:size]
        return size

    def flush(self):
        self._start()

    def close(self):
        self._closed = True

    @written_for("readable", "writable", "seekable")
    def readable(self):
        self._start()
        return True

    def isatty(self):
        self._start()
        return False

    def __iter__(self):
        self._start()
        return self

    def __next__(self):
        line = self.readline()
        if line == "":
            raise StopIteration
        return line

    def __enter__(self):
        self._start()
        return self

    def __exit__(self, *details):
        self.close()
