"""Prose is split without loss, and only prose is offered for translation."""

from __future__ import annotations

import re

import pytest
from markdown_it import MarkdownIt

from loaderlab.publish import blocks, diagrams

NASTY = """\
# Title with `code`

A paragraph wrapped
over lines, with $a : b$ and [link](x_y.html "t").  
Hard break here\\
and another.

* * *

- item one
  continues
- item `two` 
  - nested item
    more nested

    second paragraph of nested
1. first
2. second
   ```python
   # not prose
   - nor this
   ```
3. [x] third

> Quote line one
> line two
> - item in quote
>   continued
>
> ```
> fenced in quote
> ```

    indented code here
      more

Setext heading
==============

| Name | What it `a\\|b` means | N |
|:-----|:---:|--:|
| `x` | the worker \\| process | 12 |
| 1 | 2 | `c` |

$$
T = \\max(a, b)
$$

\\begin{align}
x &= y
\\end{align}

<details>
<summary>Hint</summary>

Prose inside details.

</details>

<!-- a comment
over lines -->

```{note}
directive
```

~~~~
```
inner
~~~~
[ref]: https://example.org
Text right after ref
## Heading right after
text with trailing spaces   
2024 was a year, and
2. is not a list here
- but this is

Last line without newline é – “ ”	tab
Windows line
<kbd>Shift</kbd> + <kbd>Enter</kbd> runs the cell.
*emph at start* and **bold**.
**Predict:** how many?
+ plus item"""


def messages(markdown: str) -> list[str]:
    return [piece.message for piece in blocks.split(markdown) if piece.message is not None]


def seen(markdown: str) -> str:
    """What a reader sees; soft line breaks are spaces."""
    return re.sub(r"[ \n]+", " ", MarkdownIt().enable("table").render(markdown))


def every_tail(text: str) -> list[str]:
    lines = text.split("\n")
    return ["\n".join(lines[start:]) for start in range(len(lines))]


@pytest.mark.parametrize("end", ["", "\n", "\n\n  \n"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_the_pieces_are_the_source(end: str, line_end: str) -> None:
    for text in every_tail(NASTY):
        source = (text + end).replace("\n", line_end)
        assert "".join(piece.text for piece in blocks.split(source)) == source
        assert blocks.render(blocks.split(source), lambda message: None) == source


def test_a_translation_by_the_same_words_looks_the_same() -> None:
    for text in every_tail(NASTY):
        assert seen(blocks.render(blocks.split(text), lambda message: message)) == seen(text)


def test_code_formulas_and_html_are_not_prose() -> None:
    text = " ".join(messages(NASTY))
    for hidden in [
        "not prose",
        "fenced",
        "indented",
        "max",
        "begin",
        "summary",
        "comment",
        "directive",
        "inner",
    ]:
        assert hidden not in text


def test_words_in_html_are_found_and_those_in_its_comments_are_not() -> None:
    text = "- item\n\n  <div>\n  lost words\n  </div>\n\n<!-- a -> b -->\n\n<br>\n"
    html = [piece.text for piece in blocks.split(text) if piece.kind == blocks.HTML]
    assert [blocks.has_words(each) for each in html] == [True, False, False]


def test_markers_are_not_part_of_the_message() -> None:
    assert messages("## Head\n- [x] a *b*\n  c\n> 1. quoted\n> on\n") == ["Head", "a *b* c", "quoted on"]


def test_wrapping_a_paragraph_differently_keeps_its_message() -> None:
    assert messages("one two\nthree") == messages("one\ntwo three") == ["one two three"]


def test_a_table_gives_one_message_for_each_cell_with_words() -> None:
    assert messages("| A | `b\\|c` d |\n|:--|--:|\n| 12 | x \\| y |\n") == ["A", "`b\\|c` d", "x \\| y"]


def test_a_translation_of_several_lines_stays_in_its_list() -> None:
    pieces = blocks.split("> - item\n")
    assert blocks.render(pieces, lambda message: "un\ndeux") == "> - un\n>   deux\n"


def test_a_diagram_keeps_everything_but_its_texts() -> None:
    svg = (
        "<svg><!-- <text>no</text> --><style>text { a: b }</style><title>Two workers</title>"
        "<text x='1'>\n  first &amp;  <tspan>last</tspan>\n</text><text>42</text>"
        "<g><desc>All</desc></g></svg>"
    )
    assert "".join(piece.text for piece in diagrams.split(svg)) == svg
    found = [piece.message for piece in diagrams.split(svg) if piece.message]
    assert found == ["Two workers", "first &", "last", "All"]
    new = diagrams.render(svg, {"first &": "a < b", "last": "fin"}.get)
    assert new == svg.replace("first &amp;", "a &lt; b").replace("last", "fin")
