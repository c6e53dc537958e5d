"""The case of this lesson: which lines of the script are guilty, which only look so, and what each repair brings by the counts."""

from __future__ import annotations

from pathlib import Path

from loaderlab.course.case import Case, Repair
from loaderlab.i18n.language import mark

_TEXT = Path(__file__).with_name("found.py").read_text("utf-8")
_BEGIN = _TEXT.index("class Photos")  # what stands above only imports, and says how long a step takes

# Why a repair gains nothing, or costs speed: what a recording of 67 states of the script on two cores showed.
STARTS = mark("New workers in each epoch hide the gain: the loop waits for their start first.")
EIGHT_WAIT = mark("Eight workers wait for opens at the same time, so a shorter wait gains little.")
FEW_WAIT = mark("Fewer workers wait for fewer opens at the same time, so now the opens matter.")
SHORT_START = mark("When there are so few workers, they start quickly: there was little left to gain.")
SPIN = mark(
    "The threads of eight workers wait by *spinning*, and take the cores from threads that compute, until the threads or the tensors are repaired."
)

CASE = Case(
    source=_TEXT[_BEGIN:],
    first=_TEXT.count("\n", 0, _BEGIN) + 1,
    repairs=(
        Repair(
            "clock",
            mark("clock"),
            ("seconds = 0.0", "started = ", "seconds += ", "return len(self.dataset) / seconds"),
            mark("The rate that the script claims is now the rate by our clock."),
            speed=False,
        ),
        Repair(
            "lifetime",
            mark("persistent workers"),
            ('return {"persistent_workers"',),
            mark("The second epoch now has the workers of the first."),
            after={"workers": SHORT_START, "floats": SPIN},
        ),
        Repair(
            "tensors",
            mark("tensors in a batch"),
            # The labels, too: each is a tensor of its own, half of the 64.
            ("return images, labels", "return torch.stack(list(images))", "return self.finish("),
            mark("A batch is now 2 tensors, not 64."),
            behind={"lifetime": STARTS},
        ),
        Repair(
            "opens",
            mark("opens"),
            ("label = photos.read", "return photos.read"),
            mark("A sample now opens no file, not 2."),
            behind={"workers": EIGHT_WAIT, "lifetime": STARTS},
        ),
        Repair(
            "workers",
            mark("workers and threads"),
            ("torch.set_num_threads", 'return {"num_workers"'),
            mark(
                "There are now few workers, with one thread each: fewer have to start, and no thread spins."
            ),
            behind={"opens": FEW_WAIT},
            slower={"opens": FEW_WAIT},
        ),
        Repair(
            "floats",
            mark("bytes instead of floats"),
            ("return torch.from_numpy(pixels).float()",),
            mark(
                "A value of a pixel now has 1 byte, not 4: this saves memory first, and time only where the transport is the bottleneck."
            ),
            slower={"workers": SPIN},
        ),
        Repair(
            "index",
            mark("index"),
            ("names = [", "self.index = ", "return self.index[i]"),
            mark("The index is now one array, so the memory of the workers stays as it is."),
            speed=False,
        ),
        Repair(
            "generator",
            mark("generator"),
            ("self.rng = ", "return self.rng"),
            mark("Workers and epochs now draw different crops, as they should."),
            speed=False,
        ),
        Repair(
            "epoch",
            mark("epoch of the sampler"),
            ("def begin(", "pass"),
            mark("Each epoch now has other photos, in another order, as it should."),
            speed=False,
        ),
    ),
    innocent={
        "self.sampler = DistributedSampler": mark(
            "a `DistributedSampler` shuffles unless it is told not to."
        ),
        "image = torch.from_numpy(part": mark(
            "these floats are for the smoothing, and become bytes again right after it."
        ),
        "time.sleep(STEP_SECONDS)": mark("it stands in for the device, which is busy for that time."),
    },
)
