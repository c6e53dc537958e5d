"""The exercises of lesson 6: what is expected of the evidence that the probes return."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from loaderlab.cases import Cases
from loaderlab.exercise import Exercise, Finding, shown
from loaderlab.language import mark, number
from loaderlab.language import translate as _
from loaderlab.lessons.webdataset import probes
from loaderlab.lessons.webdataset.data import shuffled
from loaderlab.lessons.webdataset.library import COMMAND, sentence
from loaderlab.lessons.webdataset.probes import DEALT, MIXES, WRITTEN, digest, named_samples

# ---------------------------------------------------------------- write_shards


def least_bytes(members: Sequence[int]) -> int:
    """How large an archive of members of these sizes has to be: headers, whole blocks, its end, whole records."""
    blocks = sum(512 + -(-size // 512) * 512 for size in members)
    return -(-(blocks + 1024) // 10_240) * 10_240


def judge_write(evidence: list[dict[str, Any]]) -> list[Finding]:
    if "missing" in evidence[0]:
        command = f"`{COMMAND}`"
        return [Finding(False, 6, _("webdataset is installed"), command, _("not installed"), sentence())]
    names_wrong = balance_wrong = keys_wrong = content_wrong = size_wrong = ""
    names_due = balance_due = keys_due = size_due = content_due = ""
    for (count, shards), case in zip(WRITTEN, evidence, strict=True):
        where = _("{count} samples in {shards} shards").format(count=count, shards=shards)
        files, raised = case["files"], case.get("raised", "")
        samples = [sample for file in files for sample in file["samples"]]
        names, due = [file["name"] for file in files], [f"train-{i:06d}.tar" for i in range(shards)]
        if names != due and not names_wrong:
            names_due = f"{where}: " + ", ".join(f"`{name}`" for name in due)
            listed = ", ".join(f"`{name}`" for name in names[:6]) or _("no file")
            names_wrong = f"{where}: {listed}" + (f"; {raised}" if raised else "")
        # How many samples a file has: one `cls` for each, whatever the keys are.
        sizes = [
            sum(field.split(".")[-1] == "cls" for s in file["samples"] for field in s["fields"])
            for file in files
        ]
        low, high = count // shards, -(-count // shards)
        good = len(sizes) == shards and sum(sizes) == count and set(sizes) <= {low, high}
        unreadable = next((file["unreadable"] for file in files if "unreadable" in file), "")
        if not good and not balance_wrong and not unreadable:
            balance_due = _("{where}: {low} or {high} in each").format(where=where, low=low, high=high)
            balance_wrong = f"{where}: {sizes}"
        keys = [sample["key"] for sample in samples]
        if (unreadable or len(keys) != count or len(set(keys)) != count) and not keys_wrong:
            keys_due = _("{where}: {count} samples found, {count} different keys").format(
                where=where, count=count
            )
            keys_wrong = unreadable or _("{where}: {found} samples found, {keys} different keys").format(
                where=where, found=len(keys), keys=len(set(keys))
            )
        given = [
            {"bin": digest(image), "cls": str(label), "txt": name}
            for name, image, label in named_samples(count)
        ]
        came = [sample["fields"] for sample in samples]
        if len(came) == count and came != given and not content_wrong:
            place = next(i for i, (a, b) in enumerate(zip(came, given, strict=True)) if a != b)
            content_due, content_wrong = f"{place}: {given[place]}", f"{place}: {came[place]}"
        for file in files:
            least = least_bytes(file["members"]) if "members" in file else 0
            if file["size"] != least and not size_wrong:
                size_due = _("{name}: {size} bytes").format(name=file["name"], size=number(least))
                size_wrong = _("{name}: {size} bytes").format(name=file["name"], size=number(file["size"]))
    nothing = not any(file["samples"] for case in evidence for file in case["files"])
    empty = _("no samples") if nothing else ""
    return [
        Finding(
            not names_wrong,
            1,
            _("As many files as asked for, with the right names"),
            names_due,
            names_wrong,
            _(
                "`ShardWriter` with `maxcount` rounds: 9 samples in shards of 3 are 3 shards. Write each shard with its own `TarWriter`."
            ),
        ),
        Finding(
            not balance_wrong and not nothing,
            1,
            _("The shards are balanced"),
            balance_due or _("numbers that differ by at most 1"),
            balance_wrong or empty,
            _(
                "Shard `i` gets the samples from `len(samples) * i // shards` to `len(samples) * (i + 1) // shards`."
            ),
        ),
        Finding(
            not keys_wrong and not nothing,
            2,
            _("webdataset finds every sample, each with a key of its own"),
            keys_due or _("as many samples and keys as were given"),
            keys_wrong or empty,
            _(
                "Make the key from the position in the whole list, in digits; the name goes into the field `txt`."
            ),
        ),
        Finding(
            not content_wrong and not nothing and not keys_wrong,
            1,
            _("Every sample in its order, with its three fields"),
            content_due or _("`bin`, `cls` and `txt` of each sample, in the order given"),
            content_wrong or empty or keys_wrong,
            _(
                "The fields are called `bin`, `cls` and `txt`; what follows a dot in a key becomes part of their names."
            )
            if not keys_wrong
            else _("This follows from what failed above."),
        ),
        Finding(
            not size_wrong and any(case["files"] for case in evidence),
            1,
            _("No byte is wasted, and nothing is compressed"),
            size_due or _("the size that section 1 computes"),
            size_wrong or _("no file"),
            _(
                "Pass `mtime=0`: a time with a fraction needs an extended header for each member. Do not compress, and close each archive: use `with`."
            ),
        ),
    ]


# ---------------------------------------------------------------- once_each


def _case(name: str) -> str:
    counts, batch_size, world, workers = DEALT[name]
    return _("shards {counts}, batches of {batch}, ranks: {world}, workers: {workers}").format(
        counts=counts, batch=batch_size, world=world, workers=workers
    )


def _batches(outcome: Any) -> list[list[tuple[int, int]]] | None:
    """The batches of one worker where they have the right form."""
    value = outcome.get("value")
    if not isinstance(value, list) or not all(isinstance(batch, list) for batch in value):
        return None
    pairs = [pair for batch in value for pair in batch]
    whole = all(
        isinstance(p, list) and len(p) == 2 and all(isinstance(i, int) and not isinstance(i, bool) for i in p)
        for p in pairs
    )
    return [[(pair[0], pair[1]) for pair in batch] for batch in value] if whole else None


def judge_once(evidence: dict[str, Any]) -> list[Finding]:
    wrong: dict[str, tuple[str, str]] = {}

    def note(criterion: str, expected: str, got: str) -> None:
        wrong.setdefault(criterion, (expected, got))

    for name, (counts, batch_size, world, workers) in DEALT.items():
        per_worker = [_batches(outcome) for outcome in evidence[name]]
        where = _case(name)
        if any(batches is None for batches in per_worker):
            bad = next(o for o, b in zip(evidence[name], per_worker, strict=True) if b is None)
            for criterion in ("once", "step", "size", "near", "share"):
                note(criterion, _("a list of batches, each a list of pairs"), f"{shown(bad)[:300]} · {where}")
            continue
        dealt = [batches for batches in per_worker if batches is not None]
        all_samples = {(shard, position) for shard, count in enumerate(counts) for position in range(count)}
        came = Counter(pair for batches in dealt for batch in batches for pair in batch)
        if set(came) != all_samples or max(came.values(), default=0) > 1:
            twice = sum(count > 1 for count in came.values())
            note(
                "once",
                _("each of the {count} samples once").format(count=len(all_samples)),
                _(
                    "missing: {missing}, more than once: {twice}, not in the shards: {strange} · {where}"
                ).format(
                    missing=len(all_samples - set(came)),
                    twice=twice,
                    strange=len(set(came) - all_samples),
                    where=where,
                ),
            )
        steps = [sum(len(dealt[rank * workers + w]) for w in range(workers)) for rank in range(world)]
        least = -(-len(all_samples) // (world * batch_size))
        if set(steps) != {least}:
            note(
                "step",
                _("batches of each rank: {steps}").format(steps=least),
                _("batches of the ranks: {steps} · {where}").format(steps=steps, where=where),
            )
        loads = [[len(dealt[rank * workers + w]) for w in range(workers)] for rank in range(world)]
        uneven = next((load for load in loads if max(load) - min(load) > 1 or not any(load)), None)
        if uneven is not None:
            note(
                "share",
                _("numbers that differ by at most 1"),
                _("batches of the workers of a rank: {loads} · {where}").format(loads=uneven, where=where),
            )
        sizes = [len(batch) for batches in dealt for batch in batches]
        if not sizes or min(sizes) < 1 or max(sizes) > batch_size:
            note(
                "size",
                _("batches of 1 to {size} samples").format(size=batch_size),
                _("batches of {low} to {high} samples · {where}").format(
                    low=min(sizes, default=0), high=max(sizes, default=0), where=where
                ),
            )
        openings = sum(len({shard for batch in batches for shard, _p in batch}) for batches in dealt)
        most = len(counts) + world * workers - 1
        if openings > most or not sizes:
            note(
                "near",
                _("at most {most} openings").format(most=most),
                _("openings: {openings} · {where}").format(openings=openings, where=where),
            )

    def finding(criterion: str, points: int, words: str, hint: str) -> Finding:
        expected, got = wrong.get(criterion, ("", ""))
        return Finding(criterion not in wrong, points, words, expected, got, hint)

    return [
        finding(
            "once",
            2,
            _("Each sample comes exactly once"),
            _(
                "Write all samples down in one list, `(shard, position)`, and cut it into pieces that do not overlap and leave nothing out."
            ),
        ),
        finding(
            "step",
            1,
            _("All ranks make the same number of batches, the smallest possible one"),
            _(
                "The number of batches of a rank follows from the total: samples / (`world` × `batch_size`), rounded up. Cut the samples into that many pieces for each rank."
            ),
        ),
        finding(
            "size",
            1,
            _("No batch is empty or too large"),
            _(
                "Batch `b` of `n` goes from `samples * b // n` to `samples * (b + 1) // n`: their sizes differ by at most 1."
            ),
        ),
        finding(
            "near",
            1,
            _("Neighbours stay together: few openings"),
            _(
                "Give each rank, and each worker of it, batches that follow each other, instead of every n-th one."
            ),
        ),
        finding(
            "share",
            1,
            _("The workers of a rank share its batches"),
            _(
                "Worker `w` takes the batches of its rank from `steps * w // workers` to `steps * (w + 1) // workers`."
            ),
        ),
    ]


# ---------------------------------------------------------------- plan_shards


def planned(samples: int, field_bytes: list[int], ranks: int, workers: int, target_bytes: int) -> int:
    per_sample = sum(512 + -(-nbytes // 512) * 512 for nbytes in field_bytes)
    shards = ranks * workers
    while -(-(-(-samples // shards) * per_sample + 1024) // 10_240) * 10_240 > target_bytes:
        shards += ranks * workers
    return shards


PLANS = Cases(probes.PLANS, right=planned)


def judge_plan(evidence: dict[str, Any]) -> list[Finding]:
    return [
        PLANS.finding(
            evidence,
            ("typical", "several", "one_process"),
            _("Large enough a number for the target, and a multiple of ranks × workers"),
            _("Begin with `ranks * workers` shards, and add as many again until the largest shard fits."),
        ),
        PLANS.finding(
            evidence,
            ("small",),
            _("Never fewer shards than workers"),
            _("A small data set still needs a shard for each worker of each rank."),
        ),
        PLANS.finding(
            evidence,
            ("labels", "whole_blocks"),
            _("Headers and padding of each field count"),
            _("Each field takes 512 bytes for its header, and its data rounded up to a multiple of 512."),
        ),
        PLANS.finding(
            evidence,
            ("records", "end", "exact", "remainder"),
            _("The end of the archive and the largest shard count, to the byte"),
            _(
                "The largest shard has `samples / shards` samples, rounded up; add 1024 bytes, and round up to a multiple of 10,240. Exactly the target is allowed."
            ),
        ),
    ]


# ---------------------------------------------------------------- mix


def smallest(labels: list[int], batch_size: int, target: float, sizes: list[int]) -> int | None:
    for size in sorted(sizes):
        order = list(shuffled(labels, size))
        counts = [
            len(set(order[i : i + batch_size])) for i in range(0, len(order) - batch_size + 1, batch_size)
        ]
        if sum(counts) / len(counts) >= target:
            return size
    return None


def judge_mix(evidence: dict[str, Any]) -> list[Finding]:
    def finding(names: tuple[str, ...], points: int, words: str, hint: str) -> Finding:
        for name in names:
            classes, each, rest, batch, target, sizes = MIXES[name]
            due = smallest(*probes.MIXED.arguments[name])
            value = evidence[name].get("value", ...)
            if value != due or isinstance(value, bool):
                where = _(
                    "classes: {classes}, samples of each: {each}, batch {batch}, target {target}, sizes {sizes}"
                )
                call = where.format(
                    classes=classes + bool(rest),
                    each=each,
                    batch=batch,
                    target=number(target, 1),
                    sizes=sizes,
                )
                got = "`None`" if "value" in evidence[name] and value is None else shown(evidence[name])
                return Finding(False, points, words, f"`{due}` · {call}", got, hint)
        return Finding(True, points, words)

    return [
        finding(
            ("typical", "strict"),
            1,
            _("The smallest buffer that reaches the target on average"),
            _(
                "For each size: shuffle the labels, count the different classes in each batch, take the mean, compare it with the target."
            ),
        ),
        finding(
            ("unsorted",),
            1,
            _("The sizes may come in any order"),
            _("Look at them from the smallest to the largest: `sorted(sizes)`."),
        ),
        finding(
            ("little", "exact", "impossible"),
            1,
            _("The target is met when it is reached exactly, and may be out of reach"),
            _("`>=`, not `>`; and `None` where no size reaches the target."),
        ),
        finding(
            ("partial",),
            1,
            _("Only full batches count"),
            _("A last batch with fewer samples has fewer classes, and would lower the mean. Leave it out."),
        ),
    ]


PROBES = {probe.name: probe for probe in probes.PROBES}

EXERCISES = (
    Exercise(
        PROBES["write_shards"],
        points=6,
        difficulty=2,
        minutes=10,
        hints=(
            mark("Section 1 writes one archive with `TarWriter` in `found`. You need one for each shard."),
            mark("`len(samples) * i // shards` is where shard `i` begins, and shard `i - 1` ends."),
            mark(
                'A key such as `f"{index:09d}"`, with `index` counted over all shards, is unique and has no dot.'
            ),
        ),
        judge=judge_write,
    ),
    Exercise(
        PROBES["once_each"],
        points=6,
        difficulty=3,
        minutes=12,
        hints=(
            mark(
                "Forget the shards at first: `[(shard, position), …]` is one long list, and you cut it into batches."
            ),
            mark(
                "There are `world * steps` batches, with `steps` = samples / (`world` × `batch_size`), rounded up. Rank `r` has those from `r * steps` to `(r + 1) * steps`."
            ),
            mark(
                "The workers of a rank share its `steps` batches in the same manner: from `steps * worker // workers` on."
            ),
        ),
        judge=judge_once,
    ),
    Exercise(
        PROBES["plan_shards"],
        points=4,
        difficulty=1,
        minutes=6,
        hints=(
            mark(
                "Write the size of a shard with `n` samples as section 1 does, and `n` as samples / shards, rounded up."
            ),
            mark("A loop that adds `ranks * workers` until the size fits is fast enough."),
        ),
        judge=judge_plan,
    ),
    Exercise(
        PROBES["mix"],
        points=4,
        difficulty=2,
        minutes=8,
        hints=(
            mark("`classes_per_batch` of section 7 does half of it, for batches of 32."),
            mark("`data.shuffled` gives an iterator: make a list of it before you cut it into batches."),
        ),
        judge=judge_mix,
    ),
)
