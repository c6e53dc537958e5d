"""The tools that a cell measures with: the machine, honest timing, memory, child processes, and nothing left behind."""
