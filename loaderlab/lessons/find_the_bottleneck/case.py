"""The case of this lesson: which lines of the script are guilty, which only look so, and what each repair brings by the counts."""

from __future__ import annotations

from pathlib import Path

from loaderlab.course.case import Case, Repair
from loaderlab.i18n.language import mark

_TEXT = Path(__file__).with_name("found.py").read_text("utf-8")
_BEGIN = _TEXT.index("class Photos")  # what stands above only imports, and says how long a step takes

FIGHT = mark(
    "Too many threads on too few cores hide it: what is saved here, a core still spends on the fight."
)
STARTS = mark("New workers in each epoch hide it: the loop waits for their start first.")

CASE = Case(
    source=_TEXT[_BEGIN:],
    first=_TEXT.count("\n", 0, _BEGIN) + 1,
    repairs=(
        Repair(
            "clock",
            mark("clock"),
            ("started = ", "seconds += ", "return len(self.dataset) / seconds"),
            mark("What it claims is now what our clock says."),
            speed=False,
        ),
        Repair(
            "workers",
            mark("workers and threads"),
            ("torch.set_num_threads", 'return {"num_workers"'),
            mark("The threads now fit the cores."),
        ),
        Repair(
            "tensors",
            mark("tensors in a batch"),
            ("return images, labels", "return torch.stack(list(images))"),
            mark("A batch is now 2 tensors, not 64."),
            {"workers": FIGHT, "lifetime": STARTS},
        ),
        Repair(
            "lifetime",
            mark("persistent workers"),
            ('return {"persistent_workers"',),
            mark("The second epoch now has the workers of the first."),
            {"workers": FIGHT},
        ),
        Repair(
            "opens",
            mark("opens"),
            ("label = photos.read", "return photos.read"),
            mark("A sample now opens no file, not 2."),
            {"workers": FIGHT, "lifetime": STARTS},
        ),
        Repair(
            "floats",
            mark("bytes instead of floats"),
            ("return torch.from_numpy(pixels).float()",),
            mark(
                "A value of a pixel now has 1 byte, not 4: that is memory first, and time only where the transport bounds."
            ),
            {"workers": FIGHT, "lifetime": STARTS},
        ),
        Repair(
            "index",
            mark("index"),
            ("self.index = ",),
            mark("The index is now one array: the workers' memory stays, and no rate shows it."),
            speed=False,
        ),
        Repair(
            "generator",
            mark("generator"),
            ("self.rng = ", "return self.rng"),
            mark("Workers and epochs now draw different crops: that is right, and not faster."),
            speed=False,
        ),
        Repair(
            "epoch",
            mark("epoch of the sampler"),
            ("def begin(", "pass"),
            mark("Each epoch now has other photos, in another order: that is right, and not faster."),
            speed=False,
        ),
    ),
    innocent={
        "self.sampler = DistributedSampler": mark(
            "a `DistributedSampler` shuffles unless it is told not to."
        ),
        "image = torch.from_numpy(part": mark(
            "these floats are for the smoothing, and are bytes again before they leave."
        ),
        "time.sleep(STEP_SECONDS)": mark("it plays the device, which is busy for so long."),
    },
)
