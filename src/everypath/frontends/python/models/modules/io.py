"""Our version of `io.StringIO`; compiled, never imported."""

# mypy: ignore-errors


class StringIO:
    def __init__(self, initial_value="", newline="\n"):
        self._text = "" if initial_value is None else initial_value
        self._place = 0
        self.closed = False

    def _check(self):
        if self.closed:
            raise ValueError("I/O operation on closed file")

    def getvalue(self):
        self._check()
        return self._text

    def read(self, size=-1, /):
        self._check()
        start = self._place
        if size is None or size < 0:
            self._place = max(start, len(self._text))
            return self._text[start:]
        self._place = min(start + size, max(start, len(self._text)))
        return self._text[start : start + size]

    def readline(self, size=-1, /):
        self._check()
        start = self._place
        end = self._text.find("\n", start)
        stop = len(self._text) if end < 0 else end + 1
        if size is not None and 0 <= size < stop - start:
            stop = start + size
        if stop < start:
            return ""
        self._place = stop
        return self._text[start:stop]

    def readlines(self, hint=-1, /):
        self._check()
        return list(self)

    def write(self, s, /):
        self._check()
        if not isinstance(s, str):
            raise TypeError("string argument expected")
        size = len(s)
        if self._place == len(self._text):
            self._text = self._text + s
        else:
            before = self._text[: self._place]
            before = before + "\0" * (self._place - len(before))
            self._text = before + s + self._text[self._place + size :]
        self._place = self._place + size
        return size

    def writelines(self, lines, /):
        self._check()
        for line in lines:
            self.write(line)

    def seek(self, cookie, whence=0, /):
        self._check()
        if whence == 0:
            if cookie < 0:
                raise ValueError("Negative seek position")
            self._place = cookie
        elif whence != 1 and whence != 2:
            raise ValueError("Invalid whence")
        elif cookie != 0:
            raise OSError("Can't do nonzero cur-relative seeks")
        elif whence == 2:
            self._place = len(self._text)
        return self._place

    def tell(self):
        self._check()
        return self._place

    def truncate(self, pos=None, /):
        self._check()
        size = self._place if pos is None else pos
        if size < 0:
            raise ValueError("Negative size value")
        self._text = self._text[:size]
        return size

    def flush(self):
        self._check()

    def close(self):
        self.closed = True

    def readable(self):
        return True

    def writable(self):
        return True

    def seekable(self):
        return True

    def isatty(self):
        return False

    def __iter__(self):
        return self

    def __next__(self):
        line = self.readline()
        if line == "":
            raise StopIteration
        return line

    def __enter__(self):
        self._check()
        return self

    def __exit__(self, *details):
        self.close()
