"""The functions that a notebook calls as ``lab.…``: its session, its cards, explorers, benchmarks, pictures and tables."""
