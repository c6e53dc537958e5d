"""The tools that a cell measures with: the machine, honest timing, memory, child processes, and nothing left behind.

The machine, honest timing, ways of which one may fail (`attempts.py`), buffers that a GPU's cache cannot keep
(`device_cache.py`), memory, child processes, what other programs take (`others.py`) and when that is too much
(`soundness.py`), a device that copies as late as it may (`racing.py`), what a long cell says (`patience.py`), how nothing is
left behind, and no file half written (`atomic_write.py`).
"""
