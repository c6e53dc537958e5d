"""A class on a real JupyterHub: users at once, each running a lesson's notebook through the hub. No part of CI.

Run ``python tools/hub.py``: it makes an environment with JupyterHub that also sees the packages of this one, starts a
hub with the configuration that docs/hub.md gives, starts a server for each user through the hub's API, runs the
notebook in all of them at once, and says what differed, what each user took, and what the machine did meanwhile.
Needs npm. Everything that it starts ends with it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import websocket

from loaderlab.measuring import memory

ROOT = Path(__file__).parents[1]
MIB = 2**20
A_START, A_CELL = 120, 300  # s

REHEARSAL = """
c.JupyterHub.bind_url = "http://127.0.0.1:{port}"
c.JupyterHub.hub_port = {hub_port}
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{proxy_port}"
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = "{folder}/home/{{username}}"
c.JupyterHub.authenticator_class = "dummy"
c.Authenticator.allow_all = True
c.JupyterHub.services = [{{"name": "rehearsal", "api_token": "{token}"}}]
c.JupyterHub.load_roles = [{{
    "name": "rehearsal",
    "scopes": ["admin:users", "admin:servers", "admin:server_state", "access:servers"],
    "services": ["rehearsal"],
}}]
"""
AS_ROOT = 'c.Spawner.args = ["--allow-root"]\n'


def recommended() -> str:
    """Return the ``jupyterhub_config.py`` that docs/hub.md gives first, for this checkout."""
    page = (ROOT / "docs" / "hub.md").read_text("utf-8")
    found = re.search(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert found, "docs/hub.md has no Python block."
    return found[1].replace("/opt/loader-lab", str(ROOT))


def install(folder: Path) -> None:
    """Install an environment with JupyterHub that also sees the packages of this one, and the hub's proxy."""
    python = folder / "env" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder / "env")], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", "jupyterhub"], check=True)
        site = Path(sysconfig.get_path("purelib", vars={"base": str(folder / "env")}))
        here = sysconfig.get_path("purelib")
        (site / "course.pth").write_text(f"import site; site.addsitedir({here!r})\n", encoding="utf-8")
    if not (folder / "node_modules").exists():
        subprocess.run(
            ["npm", "install", "--silent", "--prefix", str(folder), "configurable-http-proxy"], check=True
        )


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Hub:
    """A running hub, seen through its API."""

    def __init__(self, port: int, token: str) -> None:
        self.port, self.token = port, token

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"token {self.token}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=A_START) as answer:
            return json.loads(answer.read() or b"null")

    def wait_for(self, path: str, seconds: float) -> Any:
        end = time.monotonic() + seconds
        while True:
            try:
                return self.ask("GET", path)
            except (urllib.error.URLError, ConnectionError):
                if time.monotonic() > end:
                    raise
                time.sleep(0.3)

    def start_server(self, user: str) -> int:
        """Start the user's server; returns its process id once it answers."""
        self.ask("POST", f"/hub/api/users/{user}")
        self.ask("POST", f"/hub/api/users/{user}/server")
        end = time.monotonic() + A_START
        while time.monotonic() < end:
            server = self.ask("GET", f"/hub/api/users/{user}")["servers"].get("", {})
            if server.get("ready"):
                return int(server["state"]["pid"])
            time.sleep(0.3)
        raise TimeoutError(f"The server of {user} did not start within {A_START} s.")

    def run(self, user: str, notebook: str) -> dict[str, list[dict[str, Any]]]:
        """Run a notebook of the user's own copy, cell by cell; returns the outputs of each code cell, by its id."""
        base = f"/user/{user}/api"
        document = self.ask("GET", f"{base}/contents/{notebook}?content=1")["content"]
        session = self.ask(
            "POST",
            f"{base}/sessions",
            {"path": notebook, "name": notebook, "type": "notebook", "kernel": {"name": "python3"}},
        )
        channels = websocket.create_connection(
            f"ws://127.0.0.1:{self.port}{base}/kernels/{session['kernel']['id']}/channels",
            header=[f"Authorization: token {self.token}"],
            timeout=A_CELL,
        )
        try:
            cells = [cell for cell in document["cells"] if cell["cell_type"] == "code"]
            return {cell["id"]: execute(channels, cell["source"]) for cell in cells}
        finally:
            channels.close()
            self.ask("DELETE", f"{base}/sessions/{session['id']}")


def execute(channels: websocket.WebSocket, source: str) -> list[dict[str, Any]]:
    """Execute one cell; returns its outputs."""
    number = uuid.uuid4().hex
    header = {
        "msg_id": number,
        "msg_type": "execute_request",
        "session": number,
        "username": "",
        "date": "",
        "version": "5.3",
    }
    content = {"code": source, "silent": False, "store_history": True, "allow_stdin": False}
    message = {"header": header, "parent_header": {}, "metadata": {}, "channel": "shell", "content": content}
    channels.send(json.dumps(message))
    outputs = []
    while True:
        received = channels.recv()
        # Binary messages carry the pictures of widgets to the browser.
        answer = json.loads(received) if isinstance(received, str) else {"parent_header": {}}
        if answer["parent_header"].get("msg_id") != number:
            continue
        kind, content = answer["msg_type"], answer["content"]
        if kind in ("stream", "execute_result", "display_data", "error"):
            outputs.append({"output_type": kind, **content})
        elif kind == "status" and content["execution_state"] == "idle":
            return outputs


def compared(outputs: list[dict[str, Any]]) -> str:
    """Return the part of outputs that is the same on every machine: what a cell printed, and the text of its result."""
    parts = []
    for output in outputs:
        if output["output_type"] == "stream" and output["name"] == "stdout":
            parts.append("".join(output["text"]))
        elif output["output_type"] == "execute_result":
            parts.append("".join(output["data"]["text/plain"]))
        elif output["output_type"] == "error":
            parts.append(f"{output['ename']}: {output['evalue']}")
    return "".join(parts)


@contextmanager
def hub(tools: Path, folder: Path) -> Iterator[Hub]:
    """Run a hub that ends with the block, with everything that it started; ``tools`` is where it was installed."""
    token, port = secrets.token_hex(16), free_port()
    settings = folder / "jupyterhub_config.py"
    extra = REHEARSAL.format(
        port=port, hub_port=free_port(), proxy_port=free_port(), folder=folder, token=token
    )
    settings.write_text(recommended() + extra + (AS_ROOT if os.geteuid() == 0 else ""), encoding="utf-8")
    path = f"{tools / 'env' / 'bin'}:{tools / 'node_modules' / '.bin'}:{os.environ['PATH']}"
    with (tools / "hub.log").open("wb") as log:
        process = subprocess.Popen(
            [str(tools / "env" / "bin" / "python"), "-m", "jupyterhub", "-f", str(settings)],
            cwd=folder,
            env=os.environ | {"PATH": path},
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    found, itself = Hub(port, token), psutil.Process(process.pid)
    try:
        found.wait_for("/hub/api/", A_START)
        yield found
    finally:
        started = [itself, *itself.children(recursive=True)]
        process.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(60)
        for left in started:
            with suppress(psutil.NoSuchProcess):
                left.kill()
        process.wait()


class Watch(threading.Thread):
    """Looks twice a second at what each user's processes take, and at what the machine does."""

    def __init__(self, servers: dict[str, int]) -> None:
        super().__init__(daemon=True)
        self.servers, self.over = servers, threading.Event()
        self.pss, self.processes = dict.fromkeys(servers, 0), dict.fromkeys(servers, 0)
        self.together = self.shm = 0
        self.cpu: list[float] = []

    def __enter__(self) -> Watch:
        self.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.over.set()
        self.join()

    def run(self) -> None:
        psutil.cpu_percent()
        while not self.over.wait(0.5):
            now = 0
            for user, pid in self.servers.items():
                tree = memory.tree(pid)
                pss = memory.total(tree.values()).pss or 0
                now += pss
                self.pss[user] = max(self.pss[user], pss)
                self.processes[user] = max(self.processes[user], len(tree))
            self.together = max(self.together, now)
            self.shm = max(self.shm, memory.shm_bytes() or 0)
            self.cpu.append(psutil.cpu_percent())


def report(notebook: str, results: dict[str, dict[str, list[dict[str, Any]]]], watch: Watch) -> bool:
    """Print what differed from the committed notebook, and what it took; whether nothing differed."""
    document = json.loads((ROOT / notebook).read_text("utf-8"))
    copied = set.union(*map(set, results.values()))  # all but the cell that installs
    cells = [cell for cell in document["cells"] if cell["id"] in copied]
    alike = True
    same = 0
    for cell in cells:
        expected = compared(cell["outputs"])
        for user, outputs in results.items():
            got = compared(outputs[cell["id"]])
            failed = any(output["output_type"] == "error" for output in outputs[cell["id"]])
            if failed or ("nbval-ignore-output" not in cell["metadata"].get("tags", ()) and got != expected):
                alike = False
                print(f"✗ {user}, cell {cell['id']}:\n    expected {expected!r}\n    got      {got!r}")
            same += got == expected
    print(f"Cells: {len(cells)} × {len(results)} users, as committed: {same}")
    for user in results:
        print(f"{user}: at most {watch.pss[user] / MIB:.0f} MiB (PSS) in {watch.processes[user]} processes")
    print(
        f"All users at once: at most {watch.together / MIB:.0f} MiB (PSS), {watch.shm / MIB:.1f} MiB in /dev/shm"
    )
    print(f"CPU: {sum(watch.cpu) / max(1, len(watch.cpu)):.0f} % of {os.cpu_count()} cores on average")
    return alike


def rehearse(tools: Path, folder: Path, users: list[str], notebook: str) -> bool:
    install(tools)
    with hub(tools, folder) as found, ThreadPoolExecutor(len(users)) as together:
        begin = time.monotonic()
        servers = dict(zip(users, together.map(found.start_server, users), strict=False))
        print(f"Servers: {len(servers)}, started together in {time.monotonic() - begin:.0f} s")
        idle = {user: memory.total(memory.tree(pid).values()).pss or 0 for user, pid in servers.items()}
        print(f"An idle server: {max(idle.values()) / MIB:.0f} MiB (PSS)")
        begin, copy = time.monotonic(), f"loader-lab/en/{Path(notebook).name}"
        with Watch(servers) as watch:
            results = dict(zip(users, together.map(lambda user: found.run(user, copy), users), strict=False))
        print(f"{notebook}: {time.monotonic() - begin:.0f} s for all users together")
        return report(notebook, results, watch)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=3)
    parser.add_argument("--notebook", default="notebooks/01_workers.ipynb")
    parser.add_argument("--folder", type=Path, help="keep the environment and the hub's log here")
    options = parser.parse_args()
    # Ended by a signal, it still takes down what it started.
    signal.signal(signal.SIGTERM, lambda *_signal: sys.exit(1))
    users = [f"learner{number + 1}" for number in range(options.users)]
    with tempfile.TemporaryDirectory(prefix="hub-") as scratch:
        tools = (options.folder or Path(scratch)).resolve()
        tools.mkdir(parents=True, exist_ok=True)
        return 0 if rehearse(tools, Path(scratch), users, options.notebook) else 1


if __name__ == "__main__":
    sys.exit(main())
