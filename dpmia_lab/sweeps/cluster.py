"""A sweep's workers on other machines: those of a Dask cluster, through its executor.

The workers need this package in the same version; they need not see the folder of results.
"""

from concurrent.futures import Future

from dpmia_lab.checks import Mistake
from dpmia_lab.sweeps.cell import Outcome, outcome_of

PATIENCE = 10  # seconds to wait for the scheduler's first answer


class ClusterWorkers:
    """All workers of the scheduler at ``address``, as they come and go; a dead one's cells go to another."""

    def __init__(self, address: str) -> None:
        from distributed import Client

        self.address = address
        try:
            self.client = Client(address, timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError):
            raise Mistake(f"scheduler must be the address of a running Dask scheduler; it is {address!r}.") from None
        self.executor = self.client.get_executor(pure=False)

    @property
    def room(self) -> int:
        """Twice the workers' threads: one cell at work, one at hand. Results never pile up."""
        try:
            return max(1, 2 * sum(self.client.nthreads().values()))
        except (OSError, RuntimeError):
            raise Mistake(f"the scheduler at {self.address} is gone; finished cells are kept.") from None

    def submit(self, name: str, config: dict) -> "Future[Outcome]":
        return self.executor.submit(outcome_on_worker, name, config)

    def under_way(self) -> float:
        """Not known: a cluster tells only when a cell is finished."""
        return 0.0

    def close(self) -> None:
        """Cells at work see that nobody wants them any more and end at their next event."""
        self.executor.shutdown(wait=False)
        self.client.close()


def outcome_on_worker(name: str, config: dict) -> Outcome:
    """On a Dask worker. A task that was cancelled, or whose client is gone, is no longer "executing"."""
    from distributed.worker import get_worker, thread_state

    tasks, key = get_worker().state.tasks, thread_state.key
    return outcome_of(name, config, should_stop=lambda: key not in tasks or tasks[key].state != "executing")
