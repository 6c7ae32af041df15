"""Queries run outside the event loop: quick ones in any thread, long ones within the bounds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from fastapi import Request
from starlette.concurrency import run_in_threadpool

from grassmeans.explorer.limits import CancelledError
from grassmeans.explorer.open_model import OpenModel
from grassmeans.explorer.work import Checkpoint, WorkPool

Result = TypeVar("Result")
_LOOK_EVERY = 0.25


@dataclass(frozen=True, slots=True)
class Session:
    """What all endpoints share."""

    opened: OpenModel
    pool: WorkPool

    async def ask(self, query: Callable[..., Result], *args: Any, **options: Any) -> Result:
        """Run a quick query."""
        answer: Result = await run_in_threadpool(query, self.opened, *args, **options)
        return answer

    async def answer(
        self,
        request: Request,
        query: Callable[..., Result],
        *args: Any,
        is_long: bool = True,
        **options: Any,
    ) -> Result:
        """Run a query that takes a checkpoint: as work within the bounds where it is long."""
        if not is_long:
            return await self.ask(query, *args, **options)

        def work(checkpoint: Checkpoint) -> Result:
            return query(self.opened, *args, checkpoint=checkpoint, **options)

        return await self.work(request, work)

    async def work(self, request: Request, work: Callable[[Checkpoint], Result]) -> Result:
        """Run long work and wait for it; it is cancelled where the client goes away."""
        checkpoint, future = self.pool.submit(work)
        waiting = asyncio.wrap_future(future)
        try:
            while True:
                done, _ = await asyncio.wait([waiting], timeout=_LOOK_EVERY)
                if done:
                    return waiting.result()
                if await request.is_disconnected():
                    raise CancelledError("the client went away")
        except BaseException:
            checkpoint.cancel()
            future.cancel()
            raise
