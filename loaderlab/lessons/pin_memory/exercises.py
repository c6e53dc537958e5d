"""The exercises of lesson 2: what is expected of the evidence that the probes return."""

from __future__ import annotations

from typing import Any

from loaderlab.cases import Cases
from loaderlab.exercise import Exercise, Finding
from loaderlab.language import mark, number
from loaderlab.language import translate as _
from loaderlab.lessons.pin_memory import probes
from loaderlab.lessons.pin_memory.probes import BATCHES

# ---------------------------------------------------------------- step_time


def step_time(nbytes: int, step_ms: float, host: float, link: float, pinned: bool, overlap: bool) -> float:
    copy_ms, link_ms = nbytes / host / 1e6, nbytes / link / 1e6
    if not pinned:
        return copy_ms + link_ms + step_ms
    return max(copy_ms, link_ms, step_ms) if overlap else max(copy_ms, link_ms + step_ms)


def _as_float(*arguments: Any) -> float:
    return float(step_time(*arguments))


STEP_TIME = Cases(probes.STEP_TIME, right=_as_float, rel=1e-6)


def judge_step_time(evidence: dict[str, Any]) -> list[Finding]:
    def show(value: float) -> str:
        return _("{ms} ms").format(ms=number(value, 2))

    return [
        STEP_TIME.finding(
            evidence,
            ("pageable", "pageable_slow"),
            _("Pageable: copy by the CPU, transfer and step one after the other"),
            _(
                "All three times add up. A rate of 1 GB/s is 10⁹ bytes per second, so `nbytes / rate / 1e6` is in ms."
            ),
            show=show,
        ),
        STEP_TIME.finding(
            evidence,
            ("pinned", "pinned_other"),
            _("Pinned, no overlap: the pin thread has copied before, so transfer and step add up"),
            _("The copy by the CPU happens in the pin thread, beside the loop, and is not added."),
            show=show,
        ),
        STEP_TIME.finding(
            evidence,
            ("step_bound", "link_bound"),
            _("Pinned with overlap: the longer one of transfer and step"),
            _("What runs at the same time does not add up: take the maximum."),
            show=show,
        ),
        STEP_TIME.finding(
            evidence,
            ("thread_bound", "thread_bound_serial"),
            _("The pin thread can be the slowest"),
            _(
                "It copies one batch while the loop works on another: a step cannot take less time than its copy."
            ),
            show=show,
        ),
        STEP_TIME.finding(
            evidence,
            ("pageable_overlap",),
            _("Without pinned memory, `overlap` changes nothing"),
            _("In this loop the host is blocked while it copies, so that it cannot launch the step."),
            show=show,
        ),
    ]


# ---------------------------------------------------------------- PinnableBatch


def _right_content(name: str) -> Any:
    return probes.described(probes.contents()[name], lambda _tensor: True)


def _tensors(content: Any) -> list[dict[str, Any]]:
    """All tensors in a described batch, in order."""
    if "tensor" in content:
        return [content]
    if "dict" in content:
        return [t for _key, item in content["dict"] for t in _tensors(item)]
    return [t for key in ("list", "tuple") for item in content.get(key, ()) for t in _tensors(item)]


def _outline(content: Any) -> Any:
    """A described batch without regard to what is pinned."""
    if "tensor" in content:
        return {"tensor": content["tensor"]}
    if "dict" in content:
        return {"dict": [[key, _outline(item)] for key, item in content["dict"]]}
    for key in ("list", "tuple"):
        if key in content:
            return {key: [_outline(item) for item in content[key]]}
    return content


def judge_pinnable(evidence: dict[str, Any]) -> list[Finding]:
    values = {name: outcome.get("value") or {} for name, outcome in evidence.items()}
    raised = {name: outcome["raised"] for name, outcome in evidence.items() if "raised" in outcome}
    contents = {name: value.get("content") for name, value in values.items()}

    def pinned(name: str) -> tuple[int, int]:
        found = _tensors(contents[name]) if contents[name] else []
        return sum(t["pinned"] for t in found), len(_tensors(_right_content(name)))

    def count(*names: str) -> tuple[bool, str]:
        pairs = [pinned(name) for name in names]
        have, want = sum(p for p, _w in pairs), sum(w for _p, w in pairs)
        words = _("pinned tensors: {have} of {want}").format(have=have, want=want)
        return have == want, next((raised[name] for name in names if name in raised), words)

    found = values["flat"].get("kind")
    handed_on = found == "PinnableBatch"
    top, top_words = count("flat")
    deep, deep_words = count("nested", "tuple")

    def same(name: str) -> bool:
        """The right outline, and something was pinned: an answer that does nothing keeps everything, too."""
        if idle or contents[name] is None:
            return False
        return _outline(contents[name]) == _outline(_right_content(name))

    idle = not any(pinned(name)[0] for name in contents)
    kept = same("others")
    shapes = [name for name in ("flat", "nested", "tuple") if not same(name)]
    nothing = _("nothing was pinned")
    return [
        Finding(
            handed_on,
            1,
            _("The pin thread hands on a `PinnableBatch`"),
            "`PinnableBatch`",
            raised.get("flat") or f"`{found}`",
            _(
                "The loader goes on with what `pin_memory` returns: end with `return self`, or return a new batch."
            ),
        ),
        Finding(
            top,
            1,
            _("Every tensor of the dictionary is pinned"),
            _("pinned tensors: {have} of {want}").format(have=2, want=2),
            top_words,
            _(
                "`tensor.pin_memory()` returns the pinned copy and changes nothing: put the copy in its place."
            ),
        ),
        Finding(
            deep,
            2,
            _("Also in lists, tuples and dictionaries inside it, at any depth"),
            _("pinned tensors: {have} of {want}").format(have=6, want=6),
            deep_words,
            _("Write a function that calls itself for each item of a dictionary, a list or a tuple."),
        ),
        Finding(
            not shapes,
            1,
            _("Same structure, same values: a list stays a list, a tuple a tuple"),
            _("the structure that came in"),
            next(
                (raised[name] for name in shapes if name in raised),
                nothing
                if idle
                else _("another structure for the batches: {names}").format(names=", ".join(shapes)),
            ),
            _("For a list or a tuple, `type(value)(…)` builds the same kind."),
        ),
        Finding(
            kept,
            1,
            _("What is neither a tensor nor a container stays as it is"),
            _("strings, numbers, `None` and empty containers unchanged"),
            raised.get("others") or (nothing if idle else _("they were changed or lost")),
            _("Return everything else unchanged; a string is not a container here."),
        ),
    ]


# ---------------------------------------------------------------- DevicePrefetcher


class _Order:
    """The operations of one pass, and what may be asked about them."""

    def __init__(self, outcome: dict[str, Any]) -> None:
        value = outcome.get("value") or {"operations": [], "blocking": [], "records": []}
        self.raised = outcome.get("raised", "")
        self.operations, self.blocking = value["operations"], value["blocking"]
        self.records = {tuple(record) for record in value["records"]}
        self.steps = {op["batch"]: i for i, op in enumerate(self.operations) if op["kind"] == "step"}
        self.copies: dict[int, list[int]] = {}
        for i, op in enumerate(self.operations):
            if op["kind"] == "copy":
                self.copies.setdefault(op["batch"], []).append(i)

    @property
    def complete(self) -> bool:
        return len(self.steps) == BATCHES and all(len(self.copies.get(b, ())) == 2 for b in range(BATCHES))

    def waits(self, later: int, earlier: int) -> bool:
        return earlier in self.operations[later]["after"]

    def own_stream(self) -> bool:
        copying = {self.operations[i]["stream"] for copies in self.copies.values() for i in copies}
        computing = {self.operations[i]["stream"] for i in self.steps.values()}
        return self.complete and not copying & computing

    def not_ahead(self) -> list[int]:
        """Batches whose copy was not issued between the step before last and the step before it."""
        wrong = []
        for batch in range(1, BATCHES):
            before, earliest = self.steps.get(batch - 1, -1), self.steps.get(batch - 2, -1)
            if not all(earliest < copy < before for copy in self.copies.get(batch, ())):
                wrong.append(batch)
        return wrong if self.complete else list(range(1, BATCHES))

    def unready(self) -> list[int]:
        """Steps that need not wait for their own copy."""
        if not self.complete:
            return list(range(BATCHES))
        return [b for b in range(BATCHES) if not all(self.waits(self.steps[b], c) for c in self.copies[b])]

    def held_up(self) -> list[int]:
        """Steps that must wait for the copy of the next batch, or that this copy must wait for."""
        if not self.complete:
            return list(range(BATCHES - 1))
        return [
            b
            for b in range(BATCHES - 1)
            if any(
                c < self.steps[b]
                and self.waits(self.steps[b], c)
                or c > self.steps[b]
                and self.waits(c, self.steps[b])
                for c in self.copies[b + 1]
            )
        ]

    def reusable(self) -> list[int]:
        """Batches whose memory may be given to a later copy while their step still runs."""
        if not self.complete:
            return list(range(BATCHES))
        recorded = {
            b
            for b, step in self.steps.items()
            if all((b, field, self.operations[step]["stream"]) in self.records for field in (0, 1))
        }
        later = {
            b: [c for other in range(b + 2, BATCHES) for c in self.copies[other]] for b in range(BATCHES)
        }
        ordered = {b for b in range(BATCHES) if all(self.waits(c, self.steps[b]) for c in later[b])}
        return [b for b in range(BATCHES) if b not in recorded | ordered]


def judge_prefetcher(evidence: dict[str, Any]) -> list[Finding]:
    wanted = {"all": list(range(BATCHES)), "one": [0], "none": [], "again": [0, 1, 2]}
    wrong = [
        name
        for name, numbers in wanted.items()
        if evidence[name].get("value") != {"numbers": numbers, "on_device": True}
    ]
    labels = {
        "all": _("five batches"),
        "one": _("one batch"),
        "none": _("an empty loader"),
        "again": _("a second pass after a `break`"),
    }
    runs = [_Order(evidence[name]) for name in ("default", "own")]
    stopped = next((run.raised for run in runs if run.raised), "")

    def came(name: str) -> str:
        outcome = evidence[name]
        if "raised" in outcome:
            return f"{labels[name]}: {outcome['raised']}"
        value = outcome.get("value") or {"numbers": [], "on_device": True}
        words = (
            _("{what}: batches {numbers}")
            if value["on_device"]
            else _("{what}: not the tensors of a batch in their order, or not on the device")
        )
        return words.format(what=labels[name], numbers=value["numbers"])

    def listed(batches: list[int]) -> str:
        return ", ".join(map(str, batches))

    blocking = [what for run in runs for what in run.blocking]
    own = all(run.own_stream() for run in runs)
    same_stream = "" if own else _("copies on the stream of the steps, or none")
    ahead = next((run.not_ahead() for run in runs if run.not_ahead()), [])
    unready = next((run.unready() for run in runs if run.unready()), [])
    held_up = next((run.held_up() for run in runs if run.held_up()), [])
    reusable = next((run.reusable() for run in runs if run.reusable()), [])
    return [
        Finding(
            not wrong,
            2,
            _("Every batch once, in order, on the device; also for one batch, none, and a second pass"),
            _("{what}: batches {numbers}").format(what=labels[wrong[0]], numbers=wanted[wrong[0]])
            if wrong
            else "",
            came(wrong[0]) if wrong else "",
            _("Do not forget the last batch, which no other follows, and start anew in every `__iter__`."),
        ),
        Finding(
            own,
            1,
            _("The copies have a stream of their own"),
            _("copies on another stream than the steps"),
            stopped or same_stream,
            _(
                "`with torch.cuda.stream(self.stream):` around the `.to(…)` only, and no `yield` inside it: the loop would compute there."
            ),
        ),
        Finding(
            not blocking and all(run.complete for run in runs),
            1,
            _("Nothing makes the host wait"),
            _("`non_blocking=True`, and no synchronisation of the host"),
            stopped or ", ".join(f"`{what}`" for what in dict.fromkeys(blocking)) or _("no complete pass"),
            _(
                "Streams can wait for each other without the host: `wait_stream` and `wait_event` instead of `synchronize`."
            ),
        ),
        Finding(
            not ahead,
            1,
            _("The next batch is sent before the step of this one, and no other"),
            _("copy {next}, then step {this}").format(next=1, this=0),
            stopped or _("sent too early or too late: {batches}").format(batches=listed(ahead)),
            _("Send the next batch before you `yield` this one, and be one batch ahead, not more."),
        ),
        Finding(
            own and not unready,
            2,
            _("A step waits for the copy of its own batch"),
            _("each step after its copy, also if the loop computes on a stream of its own"),
            stopped or same_stream or _("steps that do not wait: {batches}").format(batches=listed(unready)),
            _(
                "When the batch is handed out, `torch.cuda.current_stream()` must wait for the copy: ask for it there, not in `__init__`. An event is recorded after the copies, on their stream."
            ),
        ),
        Finding(
            not held_up,
            1,
            _("… and not for the copy of the next one"),
            _("step and next copy can run at the same time"),
            stopped
            or _("steps held up by the next copy, or the other way round: {batches}").format(
                batches=listed(held_up)
            ),
            _(
                "`wait_stream` waits for all that the other stream has been given so far. Let it come before the next copy is issued, or wait for an event."
            ),
        ),
        Finding(
            own and not reusable,
            1,
            _("Memory is not reused while a step may still read it"),
            _("`record_stream` for every tensor, or copies that wait for the steps before"),
            stopped or same_stream or _("batches not protected: {batches}").format(batches=listed(reusable)),
            _(
                "The batch was allocated on the copy stream: tell the allocator with `tensor.record_stream(torch.cuda.current_stream())`."
            ),
        ),
    ]


# ---------------------------------------------------------------- find_the_race

READS = {"A": True, "B": False, "C": False, "D": True}  # the CPU and the device
STREAMS = {"E": True, "F": False, "G": False, "H": True}  # two streams of the device


def judge_race(evidence: dict[str, Any]) -> list[Finding]:
    named = evidence.get("value")

    def finding(group: dict[str, bool], criterion: str, hint: str) -> Finding:
        right = [] if named is None else [c for c, racy in group.items() if (c in named) == racy]
        strangers = [c for c in named or () if c not in {**READS, **STREAMS}]
        words = _("judged rightly: {right} of {all}").format
        got = evidence.get("raised") or words(right=len(right), all=len(group))
        if strangers:
            got = _("no snippets of that name: {names}").format(names=", ".join(strangers))
        passed = len(right) == len(group) and not strangers
        return Finding(passed, 2, criterion, words(right=len(group), all=len(group)), got, hint)

    return [
        finding(
            READS,
            _("A to D: between the CPU and the device"),
            _(
                "Ask of each line on the CPU that reads or writes: is the copy that uses the same memory certainly finished?"
            ),
        ),
        finding(
            STREAMS,
            _("E to H: between two streams"),
            _(
                "Operations of one stream keep their order. Between two streams there is an order only where one waits for the other, and in that direction."
            ),
        ),
    ]


# ---------------------------------------------------------------- all of them

PROBES = {probe.name: probe for probe in probes.PROBES}

EXERCISES = (
    Exercise(
        PROBES["step_time"],
        points=5,
        difficulty=1,
        minutes=6,
        hints=(
            mark("First compute two times in ms: one copy by the CPU, and one transfer over the link."),
            mark(
                "What happens one after the other is added; of what happens at the same time, the longest counts."
            ),
            mark(
                "The pin thread works at the same time as everything else: with pinned memory the result is never less than its copy."
            ),
        ),
        judge=judge_step_time,
    ),
    Exercise(
        PROBES["PinnableBatch"],
        points=6,
        difficulty=2,
        minutes=7,
        hints=(
            mark("Write a function `pinned(value)` beside the class, which calls itself for what is nested."),
            mark(
                "Four cases: a tensor, a dictionary, a list or a tuple, and anything else, which is returned as it is."
            ),
        ),
        judge=judge_pinnable,
    ),
    Exercise(
        PROBES["DevicePrefetcher"],
        points=9,
        difficulty=3,
        minutes=12,
        hints=(
            mark(
                "Keep one batch that has been sent but not handed out. For each batch of the loader: send it, then hand out the one before."
            ),
            mark(
                "Right after the copies of a batch, record an event on the copy stream; before you hand the batch out, let the current stream wait for that event."
            ),
            mark("After the loop over the loader one batch is left, unless the loader was empty."),
        ),
        judge=judge_prefetcher,
    ),
    Exercise(
        PROBES["find_the_race"],
        points=4,
        difficulty=2,
        minutes=6,
        hints=(
            mark(
                "`non_blocking=True` only orders a copy. Who makes sure that it has ended before the memory is used?"
            ),
            mark("`a.wait_stream(b)` makes `a` wait for `b`. Which of the two is used afterwards?"),
        ),
        judge=judge_race,
    ),
)
