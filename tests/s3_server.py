"""A server that speaks S3 on this machine (moto's), for tests of object stores.

It counts what it is asked, and fails in the ways in which stores fail.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import pytest

pytest.importorskip("s3fs", reason="needs the extra s3")
pytest.importorskip("flask_cors", reason="needs moto's server")
pytest.importorskip("moto.moto_server", reason="needs moto's server")

import s3fs
from moto.core import DEFAULT_ACCOUNT_ID
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from moto.s3.models import s3_backends
from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

_ERROR = "<Error><Code>{code}</Code><Message>{code}</Message></Error>"
_HOST = "127.0.0.1"


class _Quiet(WSGIRequestHandler):
    """Writes no line a request."""

    protocol_version = "HTTP/1.1"

    def log(self, type: str, message: str, *arguments: Any) -> None:
        """Say nothing."""

    def connection_dropped(self, error: BaseException, environ: Any = None) -> None:
        """Let nobody wait for an answer."""
        self.close_connection = True


class S3Server:
    """A store with one bucket named ``bucket``; its content outlives the server's death.

    ``fail`` is asked before each request with its method and path: what it returns is the status
    and the code of an error, None an answer as usual. ``delay`` is how many seconds an answer takes
    longer.
    """

    client_class = s3fs.S3FileSystem

    def __init__(self) -> None:
        self._app = DomainDispatcherApplication(create_backend_app)
        self._server: BaseWSGIServer | None = None
        self._lock = threading.Lock()
        self.port = 0
        self.requests: Counter[str] = Counter()
        self.fail: Callable[[str, str], tuple[int, str] | None] = lambda method, path: None
        self.delay = 0.0
        self._backend = s3_backends[DEFAULT_ACCOUNT_ID]["aws"]
        self._backend.create_bucket("bucket", "us-east-1")
        self._bucket = self._backend.buckets["bucket"]
        self.start()

    @property
    def url(self) -> str:
        """What ``AWS_ENDPOINT_URL`` has to be."""
        return f"http://{_HOST}:{self.port}"

    def start(self) -> None:
        """Answer, at the same port as before."""
        self._server = make_server(
            _HOST, self.port, self._answer, threaded=True, request_handler=_Quiet
        )
        self._server.daemon_threads = True
        self.port = self._server.port
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self) -> None:
        """Refuse connections from now on."""
        server, self._server = self._server, None
        if server is not None:
            server.shutdown()
            server.server_close()

    def _answer(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
        with self._lock:
            self.requests[method] += 1
        time.sleep(self.delay)
        if self._server is None:  # a connection that was open before
            raise ConnectionAbortedError
        if (error := self.fail(method, path)) is not None:
            status, code = error
            body = b"" if method == "HEAD" else _ERROR.format(code=code).encode()
            start(f"{status} {code}", [("Content-Length", str(len(body)))])
            return [body]
        return self._app(environ, start)

    def calm(self) -> None:
        """Answer as usual, with an empty bucket, and nothing counted."""
        if self._server is None:
            self.start()
        self.fail, self.delay = lambda method, path: None, 0.0
        for key in [*self._bucket.keys]:
            self.delete(key)
        self.requests.clear()

    @staticmethod
    def forget_clients() -> None:
        """Let the next command of this process be the first, as in a process of its own."""
        s3fs.S3FileSystem.clear_instance_cache()

    def put(self, key: str, content: bytes) -> None:
        """Put a file into the bucket, past the server."""
        self._backend.put_object("bucket", key, content)

    def delete(self, key: str) -> None:
        """Take a file out of the bucket, past the server."""
        del self._bucket.keys[key]

    def read_all(self, prefix: str = "") -> dict[str, bytes]:
        """Keys below a prefix and their content, past the server."""
        found = self._bucket.keys.items()
        return {key: stored.value for key, stored in found if key.startswith(prefix)}
