"""A web server on this machine alone, which answers after a delay: a storage far away, as far as one likes.

It runs in a process of its own, on a free port of the loopback, and ends with the body of `serving`. It also
ends by itself when the process that started it is gone.
"""

from __future__ import annotations

import http.client
import http.server
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _


@contextmanager
def serving(folder: str | os.PathLike[str], latency_ms: float = 0.0) -> Iterator[str]:
    """Serve the files in ``folder`` while the body runs; gives the address, ``http://127.0.0.1:port``."""
    package = str(Path(__file__).parents[3])
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH", "")]))
    }
    process = subprocess.Popen(
        [sys.executable, __file__, str(folder), str(latency_ms)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
        text=True,
        start_new_session=True,  # an interrupt of the cell is none of the server's
    )
    try:
        assert process.stdin and process.stdout
        port = process.stdout.readline().strip()
        if not port:
            raise LabError(_("The server did not start. Run the cell again."))
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe:
                pipe.close()


def connect(address: str) -> http.client.HTTPConnection:
    """Return a connection that is kept open for many requests. It asks no proxy, so it never leaves this machine."""
    return http.client.HTTPConnection(urlsplit(address).netloc, timeout=30)


def get(connection: http.client.HTTPConnection, path: str) -> http.client.HTTPResponse:
    """Return the answer to one request, which can be read like a file; raises OSError where there is none."""
    connection.request("GET", path)
    response = connection.getresponse()
    if response.status != 200:
        raise OSError(f"{path}: {response.status} {response.reason}")
    return response


def one_by_one(address: str, count: int) -> list[bytes]:
    """Return the first ``count`` files of the lesson's data set, asked for one after the other on one connection."""
    connection = connect(address)
    return [get(connection, f"/files/{index:06d}.bin").read() for index in range(count)]


def many_at_once(address: str, count: int, threads: int = 16) -> list[bytes]:
    """Return the first ``count`` files of the lesson's data set, asked for in several threads with a connection each."""
    own = threading.local()

    def fetch(index: int) -> bytes:
        if not hasattr(own, "connection"):
            own.connection = connect(address)
        return get(own.connection, f"/files/{index:06d}.bin").read()

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(fetch, range(count)))


def stream(url: str, mode: str = "rb", bufsize: int = 8192) -> Any:
    """Open a URL for webdataset, which would otherwise start the program `curl` for each shard."""
    assert mode == "rb"
    return get(connect(url), urlsplit(url).path)


class _Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # one connection for many requests
    disable_nagle_algorithm = True
    latency = 0.0

    def do_GET(self) -> None:
        if self.latency:
            time.sleep(self.latency)
        super().do_GET()

    def log_message(self, *_arguments: Any) -> None:
        pass


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *_arguments: Any) -> None:  # a client that leaves early is no error
        pass


def main(folder: str, latency_ms: str) -> None:
    _Handler.latency = float(latency_ms) / 1000
    with _Server(("127.0.0.1", 0), lambda *a: _Handler(*a, directory=folder)) as server:
        print(server.server_address[1], flush=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        sys.stdin.read()  # returns when the process that started this one is gone


if __name__ == "__main__":
    main(*sys.argv[1:])
