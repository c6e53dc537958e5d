"""Graded exercises. A *probe* runs an answer and returns *evidence* (counts, bytes, indices, values); *criteria* judge that.

The probe knows nothing of what is right (`probing.py`, `calls.py`; `arguments.py` sees what an answer changed, `gaps.py` what it left open,
`definitions.py` what others can build on). The judge does: `exercise.py` is the whole of an exercise, `criterion.py` one thing that is asked,
`table.py` compares calls with those of the solution, `expect.py` has words for what judges commonly expect, and `written.py` reads
hints and solution from lesson.md.
"""
