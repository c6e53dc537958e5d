"""The diagnosis of a slow loader of yours: experiments (each a module), what follows from them, and how it is told.

`diagnose.py`, beside this folder, is where to begin. An experiment is a generator function that `isolated.isolated` runs in a
copy of this process, on a copy of the loader (`clone.clone`), and that yields plain values; a pure function then makes
findings (`finding.Finding`) of them.
"""
