"""Support for keyboard and screen reader that ipywidgets leaves out.

It says where the focus is, what a slider is called, which picture is shown, and what is asked.
"""

from __future__ import annotations

from html import escape
from pathlib import Path

_SCRIPT, _STYLE = (Path(__file__).with_name(f"access.{kind}") for kind in ("js", "css"))


def style(css: str = "") -> str:
    """``css`` as HTML, with that for a box which holds it and has the class ``lab-explorer`` or ``lab-guess``."""
    script, everywhere = _SCRIPT.read_text(encoding="utf-8"), _STYLE.read_text(encoding="utf-8")
    return f'<style onload="{escape(script)}">{everywhere}{css}</style>'
