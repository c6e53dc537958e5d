"""A web server for the files of a folder, which goes wrong as it is told."""

from __future__ import annotations

import mmap
import re
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


@dataclass(frozen=True)
class Fault:
    """How a request for a shard goes wrong: after ``after`` bytes of its answer, or with a status in place of it."""

    kind: str  # "break", "reset", "stall", "long", "short", "more", or a status
    after: int = 0


@dataclass
class FaultyServer:
    folder: Path
    address: str = ""
    ranges: bool = True
    faults: list[Fault] = field(default_factory=list)  # the next request for a shard takes the first one
    always: Fault | None = None  # what the requests get for which no fault is left
    asked: list[tuple[str, int, int]] = field(default_factory=list)  # shard, from where, to where
    sent: int = 0  # bytes of shards
    heads: int = 0  # requests for no more than the head
    over: threading.Event = field(default_factory=threading.Event)

    def starts(self, name: str) -> list[int]:
        """Where the requests for a shard began."""
        return [start for asked, start, _end in self.asked if asked == name]


@contextmanager
def faulty_server(folder: Path) -> Iterator[FaultyServer]:
    state, lock = FaultyServer(folder), threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_args: object) -> None:
            pass

        def do_HEAD(self) -> None:
            state.heads += 1
            self.send_error(405)

        def do_GET(self) -> None:
            path = state.folder / self.path.lstrip("/")
            if not path.is_file():
                return self.send_error(404)
            status, fault = 200, None
            with path.open("rb") as file:  # no more of it is read than is sent
                data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
            start, end = 0, len(data)
            wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
            if wanted and state.ranges:
                start, end, status = int(wanted[1]), min(int(wanted[2]) + 1, len(data)), 206
            if path.suffix == ".tar":
                with lock:
                    fault = state.faults.pop(0) if state.faults else state.always
                    state.asked.append((path.name, start, end))
            if fault and fault.kind.isdigit():
                return self.send_error(int(fault.kind))
            if start >= len(data):
                return self.send_error(416)
            body = data[start:end]
            length = len(body)
            if fault and fault.kind == "short":  # the head says what comes, and that is too little
                body = body[: fault.after]
                length = len(body)
            elif fault and fault.kind == "long":  # the head says too much
                length += fault.after
            elif fault and fault.kind == "more":  # more than was asked for
                body = data[start : end + fault.after]
                length = len(body)
            elif fault:  # break, reset, stall
                body = body[: fault.after]
            self.send_response(status)
            self.send_header("Content-Length", str(length))
            if status == 206:
                self.send_header("Content-Range", f"bytes {start}-{end - 1}/{len(data)}")
            self.end_headers()
            try:
                self.wfile.write(body)
            except OSError:  # the client has seen enough
                self.close_connection = True
                return None
            if path.suffix == ".tar":
                with lock:
                    state.sent += len(body)
            if fault and fault.kind == "stall":
                state.over.wait()
            if fault and fault.kind == "reset":
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.connection.close()
            if fault and fault.kind in ("break", "reset", "stall", "long"):
                self.close_connection = True
            return None

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        server.handle_error = lambda *_args: None  # type: ignore[method-assign]
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        state.address = f"http://127.0.0.1:{server.server_port}"
        try:
            yield state
        finally:
            state.over.set()
            server.shutdown()
