"""Our version of `contextlib`; compiled by the front end, never imported."""

# mypy: ignore-errors


class _GeneratorContextManager:
    def __init__(self, function, args, named):
        self.gen = function(*args, **named)
        self.function = function
        self.args = args
        self.named = named

    def __call__(self, function):
        made, args, named = self.function, self.args, self.named

        def inner(*passed, **keywords):
            with _GeneratorContextManager(made, args, named):
                return function(*passed, **keywords)

        return inner

    def __enter__(self):
        try:
            return next(self.gen)
        except StopIteration:
            raise RuntimeError("generator didn't yield")

    def __exit__(self, kind, value, traceback):
        if kind is None:
            try:
                next(self.gen)
            except StopIteration:
                return False
            raise RuntimeError("generator didn't stop")
        try:
            self.gen.throw(value)
        except StopIteration as stop:
            return stop is not value
        except RuntimeError as error:
            if error is value:
                return False
            if isinstance(value, StopIteration):
                unsupported("StopIteration inside a context manager made from a generator")
            raise
        except BaseException as error:
            if error is not value:
                raise
            return False
        raise RuntimeError("generator didn't stop after throw()")


def contextmanager(function):
    def made(*args, **named):
        return _GeneratorContextManager(function, args, named)

    return made


class _AsyncGeneratorContextManager:
    def __init__(self, function, args, named):
        self.gen = function(*args, **named)
        self.function = function
        self.args = args
        self.named = named

    def __call__(self, function):
        made, args, named = self.function, self.args, self.named

        async def inner(*passed, **keywords):
            async with _AsyncGeneratorContextManager(made, args, named):
                return await function(*passed, **keywords)

        return inner

    async def __aenter__(self):
        try:
            return await self.gen.__anext__()
        except StopAsyncIteration:
            raise RuntimeError("generator didn't yield")

    async def __aexit__(self, kind, value, traceback):
        if kind is None:
            try:
                await self.gen.__anext__()
            except StopAsyncIteration:
                return False
            raise RuntimeError("generator didn't stop")
        try:
            await self.gen.athrow(value)
        except StopAsyncIteration as stop:
            return stop is not value
        except RuntimeError as error:
            if error is value:
                return False
            if isinstance(value, (StopIteration, StopAsyncIteration)):
                unsupported("StopIteration inside a context manager made from a generator")
            raise
        except BaseException as error:
            if error is not value:
                raise
            return False
        raise RuntimeError("generator didn't stop after athrow()")


def asynccontextmanager(function):
    def made(*args, **named):
        return _AsyncGeneratorContextManager(function, args, named)

    return made


class AbstractContextManager:
    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        return None


class AbstractAsyncContextManager:
    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, value, traceback):
        return None


class ContextDecorator:
    def _recreate_cm(self):
        return self

    def __call__(self, function):
        manager = self

        def inner(*args, **named):
            with manager._recreate_cm():
                return function(*args, **named)

        return inner


class closing:
    def __init__(self, thing):
        self.thing = thing

    def __enter__(self):
        return self.thing

    def __exit__(self, *details):
        self.thing.close()


class aclosing:
    def __init__(self, thing):
        self.thing = thing

    async def __aenter__(self):
        return self.thing

    async def __aexit__(self, *details):
        await self.thing.aclose()


class nullcontext:
    def __init__(self, enter_result=None):
        self.enter_result = enter_result

    def __enter__(self):
        return self.enter_result

    def __exit__(self, *details):
        pass

    async def __aenter__(self):
        return self.enter_result

    async def __aexit__(self, *details):
        pass


class ExitStack:
    def __init__(self):
        self._exit_callbacks = []

    def __enter__(self):
        return self

    def enter_context(self, manager):
        kind = type(manager)
        if not (hasattr(kind, "__enter__") and hasattr(kind, "__exit__")):
            name = kind.__module__ + "." + kind.__qualname__
            raise TypeError("'" + name + "' object does not support the context manager protocol")
        result = manager.__enter__()
        self._exit_callbacks.append((manager, None, None, None))
        return result

    def push(self, exit):
        if hasattr(exit, "__exit__"):
            self._exit_callbacks.append((exit, None, None, None))
        else:
            self._exit_callbacks.append((None, exit, None, None))
        return exit

    def callback(self, function, *args, **named):
        self._exit_callbacks.append((None, function, args, named))
        return function

    def pop_all(self):
        other = ExitStack()
        other._exit_callbacks = self._exit_callbacks
        self._exit_callbacks = []
        return other

    def close(self):
        self.__exit__(None, None, None)

    def __exit__(self, kind, value, traceback):
        pending = value
        changed = False
        while self._exit_callbacks:
            manager, function, args, named = self._exit_callbacks.pop()
            try:
                if manager is not None:
                    swallowed = manager.__exit__(None if pending is None else type(pending), pending, None)
                elif args is None:
                    swallowed = function(None if pending is None else type(pending), pending, None)
                else:
                    function(*args, **named)
                    swallowed = False
                if swallowed and pending is not None:
                    pending = None
                    changed = False
            except BaseException as error:
                pending = error
                changed = True
        if changed:
            raise pending
        return value is not None and pending is None
