"""Where tasks run that are too many for one process: the machines of a cluster, by Dask or Ray.

Nothing but `parallel` sends tasks, and a task is a function of a module with paths and
small parameters: `messages` says what goes over the network and what happens on a worker. What Dask
and Ray need is in a file each, behind the interface of `interface`.
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
