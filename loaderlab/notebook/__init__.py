"""The functions that a notebook calls as ``lab.…``: its session, its cards, explorers, benchmarks, pictures and tables.

Session, what a learner's folder remembers (`progress.py`), what a saved notebook keeps (`stored.py`), the cards that
ask for guesses and say what came of them (`field.py`), the case (`case.py`), explorers, verdicts and
notes (`card.py`), diagrams; benchmarks, which are functions of a cell that yield rows of measured values: they run
live, or their newest recording is replayed; pictures and tables of what they measured. `front/` runs in the browser
of a notebook and of the website (ES modules, each of which begins with the traits that it reads and the messages that
it sends), and `widget.py` carries it.
"""
