"""An explorer or a question card as it stands on a page before its script comes, in boxes as large as those that the script puts there.

So nothing of what is being read moves. The boxes are those of `notebook/front/`; what they do comes with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any
from urllib.parse import quote

_NUMBER = '<input type="text" class="lab-number" disabled>'


def explorer(state: Mapping[str, Any]) -> str:
    """Return an explorer with these traits: its picture and its sentence, and the room of its controls."""
    picture = f'<img class="lab-picture" alt="{escape(state["alt"])}" src="data:image/svg+xml,{quote(state["picture"])}">'
    tabs = "".join(_button(question["label"]) for question in state["questions"])
    asking = f'<div class="lab-questions">{tabs}</div><div class="lab-asked">{escape(state["words"]["choose"])}</div>'
    controls = "".join(_control(each) for each in state["controls"] if each["name"] in state["shown"])
    folded = len(state["shown"]) < len(state["controls"])
    return (
        f'<div class="lab-place lab-explorer"><div class="lab-frame"><div class="lab-sheet" style="aspect-ratio:1/{state["room"]:.4g}">'
        f'{picture}</div></div>{asking if tabs else ""}<div class="lab-controls">{controls}</div>'
        f'<div class="lab-sentence">{state["sentence"]}</div>'
        + (
            f'<details class="lab-more"><summary>{escape(state["words"]["more"])}</summary></details>'
            if folded
            else ""
        )
        + f'<div class="lab-buttons">{"".join(_button(each["label"], each["event"]) for each in state["buttons"])}</div></div>'
    )


def card(state: Mapping[str, Any]) -> str:
    """Return a question card with these traits: its question, and the room of its fields."""
    fields = [_field(each) for each in state["fields"]]
    if state["kind"] == "curve":
        columns = (
            f'<div class="lab-column"><input type="range" class="lab-upright" disabled>{field}</div>'
            for field in fields
        )
        form = f'<div class="lab-curve"><div class="lab-columns">{"".join(columns)}</div></div>'
    else:
        form = "".join(fields)
    choices = "".join(
        f'<label class="lab-choice"><input type="radio" disabled><span>{choice}</span></label>'
        for choice in state["choices"]
    )
    return (
        f'<div class="lab-place lab-card"><div class="lab-label">{escape(state["label"])}</div><div class="lab-body">'
        f'<div class="lab-ask"><div class="lab-form">{choices or form}</div>{_button(state["words"]["bet"], "bet")}</div></div></div>'
    )


def _field(field: Mapping[str, str]) -> str:
    return (
        f'<label class="lab-field"><span class="lab-place">{field["label"]}</span>'
        f'<span>{_NUMBER}<span class="lab-unit">{escape(field["unit"])}</span></span></label>'
    )


def _button(label: str, event: str = "") -> str:
    name = f' class="lab-{event}"' if event else ""
    return f'<button type="button"{name} disabled>{escape(label)}</button>'


def _control(control: Mapping[str, Any]) -> str:
    name = f'<span class="lab-name">{escape(control["label"])}</span>'
    if control["kind"] == "flag":
        return (
            f'<div class="lab-control lab-flag"><label><input type="checkbox" disabled>{name}</label></div>'
        )
    fields = {
        "list": "<select disabled></select>",
        "slider": '<input type="range" disabled><input type="number" class="lab-number" disabled>',
    }
    return f'<div class="lab-control">{name}{fields[control["kind"]]}</div>'
