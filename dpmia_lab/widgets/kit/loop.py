"""Where a page's calls are made: on the loop of its kernel."""

import asyncio
from functools import cache


def page_loop() -> asyncio.AbstractEventLoop:
    """A script that makes a panel, for slides say, has none: what it asks to be called is never called."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return never_run()


@cache
def never_run() -> asyncio.AbstractEventLoop:
    return asyncio.new_event_loop()
