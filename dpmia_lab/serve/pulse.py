"""Is a kernel still there, and does it answer? One that was stopped, or that hangs, is a process like any other."""

import asyncio
import contextlib

from jupyter_core.utils import ensure_async
from jupyter_server._tz import utcnow
from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager
from tornado.web import HTTPError

BEAT = 0.8  # seconds for an echo: it comes from a thread of its own, so that busy kernels answer too


async def lives(kernels: AsyncMappingKernelManager, kernel_id: str) -> bool:
    """Whether its process does."""
    return kernel_id in kernels and await ensure_async(kernels.get_kernel(kernel_id).is_alive())


async def answers(kernels: AsyncMappingKernelManager, kernel_id: str) -> bool:
    """Whether the kernel's heart echoes."""
    if kernel_id not in kernels:
        return False
    heart, echo = kernels.get_kernel(kernel_id).connect_hb(), asyncio.get_running_loop().create_future()
    heart.on_recv(echo.set_result)
    heart.send(b"ping")
    try:
        await asyncio.wait_for(echo, BEAT)
    except TimeoutError:
        return False
    finally:
        heart.close(linger=0)
    return True


async def end(kernels: AsyncMappingKernelManager, kernel_id: str) -> None:
    """At once: kernels keep nothing that matters. Also of one that is dead, whose place is free then."""
    try:
        await ensure_async(kernels.shutdown_kernel(kernel_id, now=True))
    except (HTTPError, KeyError):
        """Another has ended it meanwhile."""


async def lost(kernels: AsyncMappingKernelManager) -> list[str]:
    """Kernels that died, and those that have been silent for so long that idle ones are ended and do not answer now.

    Jupyter's own watch spares whoever was busy when last heard of, and that may be for ever.
    """
    found = []
    for kernel_id in kernels.list_kernel_ids():
        with contextlib.suppress(HTTPError):  # of one that was ended while another was asked
            silent = (utcnow() - kernels.get_kernel(kernel_id).last_activity).total_seconds()
            stuck = silent > kernels.cull_idle_timeout
            if not await lives(kernels, kernel_id) or (stuck and not await answers(kernels, kernel_id)):
                found.append(kernel_id)
    return found
