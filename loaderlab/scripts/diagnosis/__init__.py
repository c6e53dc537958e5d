"""The diagnosis of a slow loader of yours: experiments (each a module), what follows from them, and how it is told.

`diagnose.py`, beside this folder, is where to begin. An experiment is a generator function that `isolated.isolated` runs in a
copy of this process, on a copy of the loader (`clone.clone`), and that yields plain values; a pure function then makes
findings (`finding.Finding`) of them.

`isolated.py` runs each experiment in a process of its own, on a loader that `clone.py` makes anew; `spy.py` and
`watch.py` look at processes from outside and from inside, `activities.py` says what they do, and in which lines of the user's (`lines.py`),
in the loop as `seen.py` runs it, and `operations.py` what does instead of known operations; `faults.py`, `rows.py`, `streaming.py`, `calls.py` and `orders.py` what is wrong and
not only slow; `evidence.py`, `throughput.py` and `decision.py` what follows from the times; `kinds/` all kinds of finding with their words
(`KINDS` is the table of them); `picture.py` and `report.py` tell it.
"""
