"""Loaders of strangers: each after a public thread of somebody who had the problem, which its docstring cites.

`making` is the half that `diagnose` may be made with. `kept` is run once at the end, and nothing is tuned on it. All of them were
written before the code was changed for any. `tools/strangers.py` runs them, and judges what was said.
"""
