"""The diagnosis of a slow loader of yours: experiments (each a module), what follows from them, and how it is told.

`diagnose.py`, beside this folder, is where to begin. An experiment is a generator function that `isolated.isolated` runs in a
copy of this process, on a copy of the loader (`clone.clone`), and that yields plain values; a pure function then makes
findings (`finding.Finding`) of them.

`isolated.py` runs each experiment in a process of its own, on a loader that `clone.py` makes anew; `lines.py` has the lines of the user's
code in which time is spent, `operations.py` what does instead of known ones; `faults.py`, `streaming.py` and `ranks.py` what is wrong and
not only slow; `evidence.py`, `throughput.py` and `decision.py` what follows from the times; `kinds/` all kinds of finding with their words
(`KINDS` is the table of them); `picture.py` and `report.py` tell it.
"""
