"""How the server gets to know that a page's kernel is ready."""

import asyncio
from contextlib import suppress
from queue import Empty

from jupyter_client.asynchronous import AsyncKernelClient


class QuickClient(AsyncKernelClient):
    """Ready once the kernel has answered and its output is heard.

    Jupyter's own client then listens until nothing has been said for a fifth of a second, which every page would wait.
    """

    async def wait_for_ready(self, timeout: float | None = None) -> None:
        async with asyncio.timeout(timeout):
            while True:
                self.kernel_info()
                with suppress(Empty):
                    reply = await self.shell_channel.get_msg(timeout=1)
                    await self.iopub_channel.get_msg(timeout=0.2)  # that it is busy with this
                    self._handle_kernel_info_reply(reply)
                    return
                if not await self.is_alive():
                    raise RuntimeError("The kernel ended before it was ready.")
