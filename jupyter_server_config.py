"""Read by `jupyter lab` in this folder: a saved lesson keeps the pictures of its explorers, whose sliders end with the kernel."""

from contextlib import suppress

c = get_config()  # noqa: F821 - Jupyter defines it where it reads this file

with suppress(ModuleNotFoundError):  # where the course is not installed, Jupyter starts all the same
    from loaderlab.notebook.stored import before_saving

    c.ContentsManager.pre_save_hook = before_saving
