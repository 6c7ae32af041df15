"""What is checked before a request reaches the application, and added to every answer."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from grassmeans_explorer.endpoints.answers import error_answer
from grassmeans_explorer.endpoints.schema import keep_slashes
from grassmeans_explorer.hosts import is_known
from grassmeans_explorer.limits import Limits

SECURITY_HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        b"object-src 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^\s:@/\[\]]+?)\.?(:[0-9]{1,5})?")
IMPORTS = "/api/annotation/imports"
"""Takes whole tables, which are larger than any other body."""
LEXICONS = "/api/entries/import"
"""Takes a whole dictionary."""
_CHANGING = ("POST", "PUT", "PATCH", "DELETE")


class Guard:
    """An ASGI middleware; ``methods_of`` tells which methods a path has.

    - The host must be one that the server is known by: ``hosts``, and those of the loopback
      interface; see `grassmeans_explorer.hosts`.
    - What changes something must come from our own pages (``Origin``, where a browser names it),
      and bodies must be JSON, which no form of another site can send.
    - Bodies are bounded before anything reads them, and so are the requests at one time.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        limits: Limits,
        methods_of: Callable[[str], Collection[str]],
        hosts: Collection[str] = (),
    ) -> None:
        self._app = app
        self._limits = limits
        self._methods_of = methods_of
        self._hosts = frozenset(host.lower() for host in hosts)
        self._active = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse with a reason."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope = keep_slashes(scope)
        sending = _with_headers(send, private=scope["path"].startswith("/api/"))
        if self._active >= self._limits.work.requests_at_once:
            message = "too many requests at once: try again"
            refusal = error_answer(503, "overloaded", message, retry_after=1)
            await refusal(scope, receive, sending)
            return
        self._active += 1
        try:
            body = self._check_head(scope) or await self._read_body(scope, receive)
            if isinstance(body, Response):
                await body(scope, receive, sending)
            else:
                await self._app(scope, _give_on(body, receive), sending)
        finally:
            self._active -= 1

    def _check_head(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if len(headers.getlist("host")) != 1:
            return error_answer(400, "wrong_host", "a request names one host")
        host = headers["host"].lower()
        # Without its port; empty for what is no host and port.
        parts = _HOST.fullmatch(host.strip())
        if not is_known(parts[1] if parts else "", self._hosts, scope):
            return error_answer(
                400,
                "wrong_host",
                "this server does not go by that name: start it with --allow-host NAME if it is to",
            )
        if scope["method"] not in _CHANGING:
            return None
        origin = headers.get("origin", "")
        if origin and _address_of(origin) != host:
            return error_answer(403, "other_origin", "only the explorer's own pages may do that")
        # Where nothing can be sent to, the application says so.
        if scope["method"] == "POST" and "POST" in self._methods_of(scope["path"]):
            kind = headers.get("content-type", "").split(";")[0].strip().lower()
            if kind != "application/json":
                return error_answer(
                    415, "not_json", "a body must be JSON: send Content-Type: application/json"
                )
        return None

    async def _read_body(self, scope: Scope, receive: Receive) -> bytes | Response:
        """All of a request's body; an answer where it is too large or too slow."""
        bounds = self._limits.request
        most = bounds.import_bytes if scope["path"] == IMPORTS else bounds.body_bytes
        if scope["path"].startswith(LEXICONS):
            most = bounds.lexicon_body_bytes
        length = dict(scope["headers"]).get(b"content-length", b"0")
        if length.isdigit() and (len(length) > 12 or int(length) > most):
            return _refuse_size(most)
        content = b""
        try:
            async with asyncio.timeout(self._limits.request.body_seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return content
                    content += message.get("body", b"")
                    if len(content) > most:
                        return _refuse_size(most)
                    if not message.get("more_body"):
                        return content
        except TimeoutError:
            return error_answer(408, "too_slow", "the body did not arrive in time: send it again")


def _refuse_size(most: int) -> Response:
    return error_answer(413, "too_large", f"a body has at most {most:,} bytes here")


def _address_of(origin: str) -> str:
    """Host and port of an origin; empty for one that is no address (``null``)."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


def _give_on(content: bytes, receive: Receive) -> Receive:
    """A body in one message; then whatever the client does."""
    waiting: list[Message] = [{"type": "http.request", "body": content, "more_body": False}]

    async def receiving() -> Message:
        return waiting.pop() if waiting else await receive()

    return receiving


def _with_headers(send: Send, *, private: bool) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [*message.get("headers", []), *SECURITY_HEADERS]
            if private:
                headers.append((b"cache-control", b"no-store"))
            message = {**message, "headers": headers}
        await send(message)

    return sending
