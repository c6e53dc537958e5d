"""The probes of this lesson: what each answer is made to do, and the evidence of it."""

from loaderlab.exercises.calls import Calls
from loaderlab.exercises.probing import Probe

INDICES = Calls("last_index", {"two": (2,), "ten": (10,), "one": (1,), "none": (0,)})

PROBES = (Probe("last_index", "function", INDICES.probe),)
