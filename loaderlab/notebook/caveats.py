"""The caveats of a picture: why its measurement cannot be believed as it is, and the usual causes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _
from loaderlab.measuring.soundness import Oddity

MOST = 2  # of a kind are named; the others have the same causes


def caveats(found: Sequence[Oddity], place: Any, live: bool) -> list[str]:
    """Return a sentence for each oddity, the worst of each kind first; none where all is well.

    ``place(at, group)`` says where on the picture that is. What was measured ``live`` has a sentence for the usual causes, too:
    a recording cannot be measured again here.
    """
    if not found:
        return []
    worst = sorted(found, key=lambda oddity: -oddity.size)
    kinds = dict.fromkeys(oddity.kind for oddity in found)
    named = [oddity for kind in kinds for oddity in [o for o in worst if o.kind == kind][:MOST]]
    return [*(_sentence(oddity, place) for oddity in named), *([_causes(set(kinds))] if live else [])]


def _sentence(oddity: Oddity, place: Any) -> str:
    where = "" if oddity.at is None else place(oddity.at, oddity.group)
    sentences = {
        "limit": _("{percent}% of the limit, which nothing can exceed ({where})."),
        "spread": _("The slowest and the fastest repeat differ by a factor of {factor} ({where})."),
        "others": _("Cores that other programs used meanwhile: {cores}."),
        "threads": _("Threads of the main process: {threads}; a worker has one."),
    }
    return sentences[oddity.kind].format(
        where=where,
        percent=number(100 * oddity.size),
        factor=number(oddity.size, 1),
        cores=number(oddity.size, 1),
        threads=number(oddity.size),
    )


def _causes(kinds: set[str]) -> str:
    if kinds == {"threads"}:
        return _("Call `torch.set_num_threads(1)` first, so that all that is compared runs alike.")
    return _(
        "Measure again. Usual causes: other programs on this machine, and a main process with more threads than a worker."
    )
