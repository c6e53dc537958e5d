"""The page of a class result: one file that needs nothing else, without a script."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from html import escape

from loaderlab.drawing import Picture
from loaderlab.i18n import language
from loaderlab.i18n.language import translate as _

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "img{width:100%;max-width:800px}table{border-collapse:collapse}"
    "th,td{text-align:left;padding:.2rem .8rem .2rem 0;border-bottom:1px solid #ddd}"
)


def page(
    picture: Picture,
    subject: str,
    table: Sequence[Sequence[str]],
    said: Sequence[str],
    problems: Mapping[str, Sequence[str]],
) -> str:
    """Return the picture, what it says, the table with its heading first, and each problem with its files, as HTML."""
    image = base64.b64encode(picture.png).decode()
    heading, *rows = table
    title = _("What the class measured: {subject}").format(subject=subject)
    parts = [
        f"<h1>{escape(title)}</h1>",
        f'<img alt="{escape(picture.text)}" src="data:image/png;base64,{image}">',
        *[f"<p>{escape(sentence)}</p>" for sentence in said],
        f"<table><thead>{_row(heading, 'th')}</thead><tbody>{''.join(_row(r, 'td') for r in rows)}</tbody></table>",
    ]
    if problems:
        left = _("Left out")
        parts.append(f"<h2>{escape(left)}</h2>")
        for problem, files in problems.items():
            listed = "".join(f"<li>{escape(file)}</li>" for file in files)
            parts.append(f"<p>{escape(problem)}</p><ul>{listed}</ul>")
    policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
    return (
        f'<!doctype html><html lang="{language.current()}"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>{''.join(parts)}</body></html>\n"
    )


def _row(cells: Sequence[str], tag: str) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"
