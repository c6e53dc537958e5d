"""A peer as seen from outside: a process of its own for each thing that is asked of it, of which nothing is left afterwards."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from loaderlab.i18n.language import translate as _
from loaderlab.measuring import child
from loaderlab.peers.job import Job

TIMEOUT = 1800.0  # seconds
FRESH = 0.5  # of the images must look otherwise in another epoch; nearly all do


class PeerError(Exception):
    """A peer could not do what it was asked; the text is the reason."""


def ask(wish: str, job: Job, timeout: float = TIMEOUT) -> dict[str, Any]:
    """Return the answer of `loaderlab.peers.host`; raises PeerError where the peer fails, ends or takes too long."""
    # As a module: a script's folder comes first where modules are looked for, and has a `webdataset` of its own.
    ran = child.run("-m", "loaderlab.peers.host", wish, job.to_json(), timeout=timeout)
    if ran.timed_out:
        raise PeerError(_("no answer within {seconds} s").format(seconds=round(timeout)))
    if not ran.output:
        lines = [line.strip() for line in ran.errors.splitlines() if line.strip()]
        raise PeerError(_("its process ended: {line}").format(line=lines[-1] if lines else "?"))
    answer: dict[str, Any] = json.loads(ran.output)
    if "error" in answer:
        raise PeerError(answer["error"])
    return answer


def checked(job: Job, count: int) -> float:
    """Return the memory of a peer in MiB; raises PeerError where it does not do its work on so many images."""
    answer = ask("look", job)
    wrong = fault(answer["epochs"], count, job.size)
    if wrong:
        raise PeerError(_("the check failed: {what}").format(what=wrong))
    return float(answer["mib"])


def fault(epochs: Sequence[dict[str, Any]], count: int, size: int) -> str:
    """Return the fault of two epochs that were looked at, in one line; empty where there is none.

    Every image must come once in each epoch, in a new order, cut out and mirrored anew, as agreed.
    """
    first, second = epochs
    for epoch in epochs:
        expected = [["torch.uint8", "3", str(size), str(size)]]
        if epoch["shapes"] != expected:
            found = ", ".join(" × ".join(shape) for shape in epoch["shapes"]) or _("no batch")
            return _("its batches are {found}, expected {expected}").format(
                found=found, expected=" × ".join(expected[0])
            )
        if epoch["changed"]:
            return _("a batch that is kept changes while later ones come")
        seen = Counter(epoch["labels"])
        missing, strange = count - len(seen), [label for label in seen if not 0 <= label < count]
        if strange:
            return _("it delivers images that do not exist, for instance number {label}").format(
                label=strange[0]
            )
        if missing:
            return _("an epoch misses {missing} of {count} images").format(missing=missing, count=count)
        twice = sum(times - 1 for times in seen.values())
        if twice:
            return _("an epoch has {twice} images more than once").format(twice=twice)
    if first["labels"] == second["labels"]:
        return _("the second epoch has the order of the first")
    before, after = (dict(zip(epoch["labels"], epoch["sums"], strict=True)) for epoch in epochs)
    fresh = sum(before[label] != after[label] for label in before) / count
    if fresh < FRESH:
        return _(
            "in the second epoch, only {share}% of the images are cropped or flipped in another way"
        ).format(share=round(100 * fresh))
    return ""
