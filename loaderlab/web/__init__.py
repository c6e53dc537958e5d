"""The course in a browser, where there is Python but no torch: what a page of the website asks, and what answers it.

`service.py` gets its questions, `parts.py` makes explorers and question cards, `answer_cell.py`
runs and judges answers. All by the standard library.
"""
