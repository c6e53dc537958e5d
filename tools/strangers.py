"""A table of what `diagnose` says of loaders that it was not made with: each with the truth beside it, and a verdict.

Those of `tests/helpers/zoo/strangers`, and with ``--given`` those of a folder whose `loaders/` have `make_loader()` and `make_step()`
each (`GIVEN` says what is true of them; they need pandas, opencv-python-headless, lmdb, datasets, tokenizers and torchvision).
At 40 seconds each takes about one minute: 24 of a half and the given ones take about 36 minutes. Only on an idle machine: where
others work, the right answer is "too noisy".

Command: python tools/strangers.py [--seconds 40] [--half making|kept|both] [--given FOLDER] [--times 1] [--reports FOLDER] [NAME…]
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_all_start_methods, get_context, set_start_method
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "helpers"))

from loaderlab.scripts.diagnose import diagnose
from loaderlab.scripts.diagnosis.finding import Tried
from zoo.strangers.kept import KEPT
from zoo.strangers.making import MAKING
from zoo.strangers.stranger import VERDICTS, Stranger, judged

HALVES = {"making": MAKING, "kept": KEPT, "both": MAKING | KEPT}


def _given(names: tuple[str, ...] = (), cause: str = "", parts: tuple[str, ...] = ()) -> Stranger:
    return Stranger(lambda: None, names, parts, cause)


SLOW = ("computing", "too_few_workers")
# What is true of the given ones.
GIVEN = {
    "jpeg_big": _given(SLOW, r"convert\("),
    "png_slow": _given(SLOW, "PNG"),
    "pandas_iloc": _given(SLOW, r"iloc\[|A data frame is queried for each sample"),
    "tokenize_text": _given(SLOW, r"encode\("),
    "pad_global": _given(("padding",), "pad", ("step_limit",)),
    "lock_shared": _given(("not_measured",), "lock"),
    "debug_logging": _given(SLOW, r"log\.debug|array2string"),
    "no_workers": _given(("too_few_workers",), "num_workers="),
    "heavy_worker_init": _given(("restarted_workers", "slow_epoch_start"), "persistent_workers=True"),
    "tail": _given(("rare_slow_samples",), "in_order|num_workers|prefetch_factor"),
    "duplicated_stream": _given(("workers_repeat",), "get_worker_info"),
    "cv2_threads": _given(("fighting_threads",), "set_num_threads"),
    "records_list": _given(("copied_objects",), r"`(dataset\.)?r` holds"),
    "weighted_sampler": _given(("step_limit", "slow_epoch_start"), "until the first batch|order is drawn"),
    "nested_tensors": _given(("slow_sending",), "tensors in a batch"),
    "logging_in_loop": _given(("uneven_steps", "step_limit"), "saving|torch.save"),
    "shuffle_buffer": _given(("slow_epoch_start",), "buffer"),
    "sqlite_unindexed": _given(SLOW, r"execute\("),
    "hf_python": _given(("slow_collate", *SLOW), r"torch\.tensor|with_format"),
    "float_batches": _given(("heavy_field",), "uint8", ("computing",)),
    "label_index": _given(SLOW, r"\.index\(|self\.df"),
    "ok_cnn": _given(),
    "ok_stream": _given(),
    "ok_lmdb": _given(),
}


@dataclass(frozen=True)
class Said:
    """What was said: the findings (names and changes), the whole report, the share of the machine that others left, and what was tried."""

    findings: list[tuple[str, str | None]]
    text: str
    share: float = 1.0
    tried: tuple[Tried, ...] = ()


def said_of(name: str, seconds: float, folder: str) -> Said:
    """Diagnose the loader of this name."""
    warnings.simplefilter("ignore")
    # As where nobody chose one, and not that of this process.
    set_start_method(get_all_start_methods()[0], force=True)
    if folder:
        sys.path.insert(0, folder)
        module = importlib.import_module(f"loaders.{name}")
        loader, step = module.make_loader(), module.make_step()
        program: str | None = None
    else:
        one = HALVES["both"][name]
        loader, step, program = one.make(), one.stepping, ""
    found = diagnose(loader, step, seconds, program=program or "")
    findings = [(one.name, one.change) for one in found.findings]
    return Said(findings, str(found), found.evidence.share, found.evidence.tried)


def main(arguments: list[str]) -> None:
    """Run the loaders one after the other, each in a process of its own, and print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=40)
    parser.add_argument("--half", choices=HALVES, default="both")
    parser.add_argument("--given", default="")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--reports", type=Path)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args(arguments)
    all_of: list[tuple[str, dict[str, Stranger], str]] = []
    if options.given:
        all_of.append(("given", GIVEN, options.given))
    all_of += [(half, HALVES[half], "") for half in ("making", "kept") if options.half in (half, "both")]
    wanted = set(options.names)
    for half, whole, folder in all_of:
        table = {name: one for name, one in whole.items() if not wanted or name in wanted}
        if not table:
            continue
        verdicts: Counter[str] = Counter()
        flipped = 0
        head = f"| {half} | said | judged | of the machine | seconds | tried: before, after |"
        print(f"\n{head}\n|---|---|---|--:|--:|---|", flush=True)
        for name, one in table.items():
            first: set[str] = set()
            for _turn in range(options.times):
                begin = time.monotonic()
                said = _apart(name, options.seconds, folder)
                verdict = judged(said.findings, said.text, one)
                verdicts[verdict] += 1
                first.add(said.findings[0][0])
                names = ", ".join(f"`{each}`" for each, _change in said.findings)
                took = time.monotonic() - begin
                changes = "; ".join(map(_told, said.tried))
                print(
                    f"| {name} | {names} | {verdict} | {said.share:.0%} | {took:.0f} | {changes} |",
                    flush=True,
                )
                if options.reports:
                    options.reports.mkdir(parents=True, exist_ok=True)
                    (options.reports / f"{half}-{name}.txt").write_text(said.text, "utf-8")
            flipped += len(first) > 1
        print(f"\n{half}: " + ", ".join(f"{verdicts[each]} {each}" for each in VERDICTS), flush=True)
        if options.times > 1:
            print(f"{half}: {flipped} whose first name changed from run to run")


def _told(one: Tried) -> str:
    """Return what came of a change, samples/s."""
    changes = ", ".join(f"{key}={value!r}" for key, value in one.changes)
    if one.error:
        return f"`{changes}` {one.error}"
    before, after = (
        f"{min(rates):.0f}–{max(rates):.0f}" if rates else "none" for rates in (one.before, one.after)
    )
    return f"`{changes}` {before}, {after}"


def _apart(name: str, seconds: float, folder: str) -> Said:
    try:
        with ProcessPoolExecutor(1, get_context("spawn")) as fresh:
            return fresh.submit(said_of, name, seconds, folder).result()
    except Exception as error:  # noqa: BLE001 (a package that is not installed, say: the others go on)
        return Said([("error", None)], f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main(sys.argv[1:])
