"""The check that a peer does its work: every image once in each epoch, in a new order, cut out and mirrored anew, as agreed."""

from __future__ import annotations

from collections import Counter
from typing import Any

from loaderlab.i18n.language import translate as _

FRESH = 0.5  # of the images must look otherwise in another epoch; nearly all do


def fault(first: dict[str, Any], second: dict[str, Any], count: int, size: int) -> str:
    """Return the fault of two epochs that were looked at, in one line; empty where there is none."""
    for epoch in (first, second):
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
    before = dict(zip(first["labels"], first["sums"], strict=True))
    after = dict(zip(second["labels"], second["sums"], strict=True))
    fresh = sum(before[label] != after[label] for label in before) / count
    if fresh < FRESH:
        return _("only {share} % of the images are cut out or mirrored anew in the second epoch").format(
            share=round(100 * fresh)
        )
    return ""
