"""Gives Python the default start method that another Python, or another system, has. Imported when Python starts.

Set ``LOADERLAB_START_METHOD`` to "forkserver" (Linux, Python 3.14), "spawn" (macOS, Windows) or "fork", and put this folder on PYTHONPATH.
"""

import multiprocessing.context
import os

METHOD = os.environ.get("LOADERLAB_START_METHOD")
if METHOD:
    multiprocessing.context._default_context._default_context = multiprocessing.get_context(METHOD)
