"""Our version of `asyncio`, where one thing happens after the other; compiled by the front end, never imported."""

# mypy: ignore-errors

_waits = []


def run(main, *, debug=None, loop_factory=None):
    return main.__awaited__()


async def sleep(delay, result=None):
    _waits.append(delay)
    return result


async def wait_for(awaitable, timeout):
    return await awaitable


async def gather(*awaitables, return_exceptions=False):
    results = []
    for awaitable in awaitables:
        before = len(_waits)
        if return_exceptions:
            try:
                results.append(await awaitable)
            except Exception as error:
                results.append(error)
        else:
            results.append(await awaitable)
        if len(_waits) > before and len(awaitables) > 1:
            unsupported("gather() of coroutines that wait: their orders are not explored")
    return results
