"""Run by ``hosts`` in a child process: two network namespaces, joined by a pair of veth, and torchrun in each.

Usage: two_hosts.py probe
       two_hosts.py SECONDS SCRIPT [ARGUMENT …]

Each "host" has a name and an address of its own, and reaches the other one by its name. The namespaces end
with the processes in them; the machine's own network, name and files are not touched. What torchrun wrote on
each host is printed as one line of JSON.
"""

from __future__ import annotations

import ctypes
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWUSER, CLONE_NEWNET = 0x20000, 0x4000000, 0x10000000, 0x40000000
MS_BIND, MS_REC, MS_PRIVATE = 4096, 0x4000, 1 << 18
HOSTS = {"host-a": "10.77.0.1", "host-b": "10.77.0.2"}
PORT = 29400


def unshare(flags: int) -> None:
    if ctypes.CDLL(None, use_errno=True).unshare(flags):
        raise OSError(ctypes.get_errno(), "unshare")


def mount(source: str, target: str, flags: int) -> None:
    if ctypes.CDLL(None, use_errno=True).mount(source.encode(), target.encode(), None, flags, None):
        raise OSError(ctypes.get_errno(), "mount")


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, timeout=10)


def become(name: str) -> None:
    socket.sethostname(name)
    ip("link", "set", "lo", "up")


def address(name: str, device: str) -> None:
    ip("addr", "add", f"{HOSTS[name]}/24", "dev", device)
    ip("link", "set", device, "up")


def enter(folder: str) -> None:
    """Namespaces of our own, and a file /etc/hosts with both names."""
    apart, uid, gid = CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWNS, os.getuid(), os.getgid()
    try:
        unshare(apart)
    except OSError:  # only root may do without a user namespace
        unshare(apart | CLONE_NEWUSER)
        with suppress(OSError):
            Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"0 {uid} 1")
        Path("/proc/self/gid_map").write_text(f"0 {gid} 1")
    mount("none", "/", MS_REC | MS_PRIVATE)
    names = Path(folder, "hosts")
    names.write_text("127.0.0.1 localhost\n" + "".join(f"{at} {name}\n" for name, at in HOSTS.items()))
    mount(str(names), "/etc/hosts", MS_BIND)
    become("host-a")


def second_host() -> tuple[int, int]:
    """Start a child process that waits in a network of its own; return its number and the pipe that sends it on."""
    ready_out, ready_in = os.pipe()
    go_out, go_in = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(go_in)
            unshare(CLONE_NEWNET | CLONE_NEWUTS)
            become("host-b")
            os.write(ready_in, b"1")
            command = json.loads(os.fdopen(go_out).read() or "[]")
            if not command:
                os._exit(0)
            address("host-b", "lab1")
            with open(command.pop(), "wb") as output:
                os.dup2(output.fileno(), 1)
            os.execv(command[0], command)
        except BaseException as error:  # noqa: BLE001 (a fork must never return)
            os.write(2, repr(error).encode())
        os._exit(1)
    os.close(ready_in)
    os.close(go_out)
    if os.read(ready_out, 1) != b"1":
        raise OSError("no second network")
    ip("link", "add", "lab0", "type", "veth", "peer", "name", "lab1", "netns", str(pid))
    address("host-a", "lab0")
    return pid, go_in


def torchrun(script: str, arguments: list[str]) -> list[str]:
    """Return the command, the same on both hosts."""
    options = ["--nnodes=2", "--nproc-per-node=2", "--rdzv-backend=c10d", f"--rdzv-endpoint=host-a:{PORT}"]
    return [sys.executable, "-m", "torch.distributed.run", *options, "--rdzv-id=lab", script, *arguments]


def main(first: str, *rest: str) -> int:
    with tempfile.TemporaryDirectory(prefix="loaderlab-") as folder:
        try:
            enter(folder)
            pid, go = second_host()
        except (OSError, AttributeError, subprocess.SubprocessError) as error:
            print(json.dumps({"possible": False, "why": str(error)}))
            return 0
        if first == "probe":
            os.close(go)
            os.waitpid(pid, 0)
            print(json.dumps({"possible": True}))
            return 0
        script, *arguments = rest
        command = torchrun(script, arguments)
        files = {name: Path(folder, name) for name in HOSTS}
        os.write(go, json.dumps([*command, str(files["host-b"])]).encode())
        os.close(go)
        with files["host-a"].open("wb") as output:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output)
        statuses = _wait(process, pid, time.monotonic() + float(first))
        written = {
            name: file.read_text(errors="replace") if file.is_file() else "" for name, file in files.items()
        }
        print(json.dumps({"possible": True, "statuses": statuses, "output": written}))
    return 0


def _wait(process: subprocess.Popen[bytes], pid: int, deadline: float) -> list[int | None]:
    """Return the exit statuses of both; None for one that was still running."""
    second: int | None = None
    while time.monotonic() < deadline and (process.poll() is None or second is None):
        if second is None:
            ended, status = os.waitpid(pid, os.WNOHANG)
            second = os.waitstatus_to_exitcode(status) if ended else None
        time.sleep(0.1)
    return [process.poll(), second]


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
