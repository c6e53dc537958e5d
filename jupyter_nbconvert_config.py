"""Read by `jupyter nbconvert --to slides` in this folder: how a lesson is shown on a wall."""

from pathlib import Path

import loaderlab.publish

c = get_config()  # noqa: F821 - Jupyter defines it where it reads this file

c.TemplateExporter.extra_template_basedirs = [str(Path(loaderlab.publish.__file__).parent / "templates")]
c.SlidesExporter.template_name = "slides"
c.SlidesExporter.exclude_input_prompt = True
c.SlidesExporter.exclude_output_prompt = True
c.SlidesExporter.exclude_anchor_links = True
# The size that `loaderlab/publish/fitting.py` lays the slides out for; reveal.js scales it to the screen.
c.SlidesExporter.reveal_width = "1280"
c.SlidesExporter.reveal_height = "720"
c.SlidesExporter.reveal_number = "h.v"
c.SlidesExporter.reveal_transition = "none"
