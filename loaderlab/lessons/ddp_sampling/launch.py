"""torchrun for a notebook cell: apart, with a time limit, on the loopback only, and nothing is left of it."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _
from loaderlab.lessons.ddp_sampling import guard, plain
from loaderlab.measuring import child, machine

GUARD = Path(guard.__file__)
_ERROR = re.compile(r"(?:\[rank\d+\]: ?)?((?:\w+\.)*\w*(?:Error|Exception): .*\S)")
_CAUSE = "was the direct cause of the following exception"
LOOPBACK = {"linux": "lo", "darwin": "lo0"}.get(sys.platform)


@dataclass(frozen=True)
class Launched:
    """The outcome of a launch: its exit status (None: it was stopped), the output of the ranks, and the errors."""

    status: int | None
    output: str
    errors: str
    seconds: float

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The JSON objects that the ranks printed, in a fixed order.

        Ranks print when they can: two objects may be on one line, and their line ends on the next.
        """
        decoder, found, at = json.JSONDecoder(), [], self.output.find("{")
        while at >= 0:
            try:
                row, at = decoder.raw_decode(self.output, at)
                found.append(row)
            except ValueError:
                at += 1
            at = self.output.find("{", at)
        return sorted(found, key=lambda row: [row.get(name, 0) for name in ("epoch", "part", "rank")])

    @property
    def reason(self) -> str:
        """The last error of a rank; of an error that has a cause, the cause."""
        reason, is_effect = "", False
        for line in self.errors.splitlines():
            if _ERROR.match(line):
                reason = reason if is_effect else _ERROR.sub(r"\1", line).strip()
                is_effect = False
            is_effect = is_effect or _CAUSE in line
        return reason

    def __repr__(self) -> str:
        if self.status == 0:
            return _("The launch ended well; lines of its ranks: {n}.").format(n=len(self.rows))
        if self.status is None:
            return _("The launch was still running after {seconds} s and was stopped.").format(
                seconds=number(self.seconds)
            )
        return _("The launch failed. {reason}").format(reason=self.reason)


def torchrun(
    *arguments: str | Path, timeout: float = 180.0, environment: Mapping[str, str] | None = None
) -> Launched:
    """Run ``torchrun`` with these arguments, as on the command line, for at most ``timeout`` seconds.

    One thread for each process, and the loopback as the only network. Where torchrun cannot run, because PyTorch has
    no libuv, the ranks are started without it.
    """
    how = ["-m", "torch.distributed.run"] if machine.has_libuv() else [plain.__file__]
    return guarded([sys.executable, *how, *map(str, arguments)], timeout, alone() | dict(environment or {}))


def alone() -> dict[str, str]:
    """Return the environment of ranks that all run on this machine."""
    # Without an address torchrun gives the ranks the name of this machine, which need not lead anywhere.
    settings = {"OMP_NUM_THREADS": "1", "PET_LOCAL_ADDR": "127.0.0.1"}
    if LOOPBACK:
        settings |= {"GLOO_SOCKET_IFNAME": LOOPBACK, "NCCL_SOCKET_IFNAME": LOOPBACK}
    return settings


def guarded(command: list[str], seconds: float, environment: Mapping[str, str]) -> Launched:
    """Run a command under the guard."""
    outcome = child.run(GUARD, str(seconds), json.dumps(dict(environment)), *command, timeout=seconds + 20)
    status = None if outcome.status in (None, guard.STOPPED) else outcome.status
    return Launched(status, outcome.output, outcome.errors, seconds)
