"""A table of the changes that `diagnose` advises, for the zoo with `--try`: predicted beside measured.

What was measured while other programs had more than a quarter of the machine is shown, and does not count.

Command: python tools/tries.py [SECONDS [ANIMAL…]]
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import mean

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "helpers"))

from loaderlab.scripts.diagnose import diagnose
from loaderlab.scripts.diagnosis.decision import QUIET
from zoo.slow import HEALTHY, SICK


def main(seconds: float, *wanted: str) -> None:
    errors, outside = [], 0
    print(f"{'animal':20}  {'change':48}  before  predicted (range)      measured   error", flush=True)
    for name, animal in (SICK | HEALTHY).items():
        if wanted and name not in wanted:
            continue
        found = diagnose(animal.loader(), animal.stepping, seconds, try_changes=True)
        for one in found.tried:
            change = ", ".join(f"{key}={value!r}" for key, value in one.changes)
            said = one.error
            if one.measured and one.predicted:
                error = one.predicted.rate / one.measured - 1
                said = f"{error:+.0%}"
                if found.evidence.share >= QUIET:
                    errors.append(error)
                    outside += not one.predicted.low <= one.measured <= one.predicted.high
                else:
                    said += f" (others: {1 - found.evidence.share:.0%})"
            guess = one.predicted
            figures = f"{guess.rate:8.0f} ({guess.low:.0f}–{guess.high:.0f})" if guess else "none"
            print(
                f"{name:20}  {change:48}  {one.before:6.0f}  {figures:22}  {one.measured:7.0f}   {said}",
                flush=True,
            )
        if not found.tried:
            print(f"{name:20}  nothing to try: {', '.join(f.name for f in found.findings)}", flush=True)
    sizes = [abs(error) for error in errors] or [0.0]
    print(
        f"changes: {len(errors)}, mean error {mean(sizes):.0%}, worst {max(sizes):.0%}, outside their range: {outside}"
    )


if __name__ == "__main__":
    seconds, *wanted = sys.argv[1:] or ["20"]
    main(float(seconds), *wanted)
