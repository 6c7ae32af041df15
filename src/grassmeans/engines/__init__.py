"""Where tasks run that are too many for one process: the machines of a cluster, by Dask.

Nothing but `parallel` sends tasks, and a task is a function of a module with paths and small
parameters: `messages` says what goes over the network and what happens on a worker, `software` what
a worker must have to be given any.
"""

from grassmeans.engines.choosing import (
    ENGINES,
    EngineChoice,
    count_workers,
    find_engine,
    find_shared_place,
    share_place,
    use_engine,
)

__all__ = [
    "ENGINES",
    "EngineChoice",
    "count_workers",
    "find_engine",
    "find_shared_place",
    "share_place",
    "use_engine",
]
