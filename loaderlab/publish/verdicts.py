"""The verdicts on bets beside pictures that may be recordings: one that is computed from something else can say the contrary of what is seen.

Which part of a picture a verdict speaks of, no rule can see; that it has nothing to do with a picture between bet and verdict, this one does.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from loaderlab.i18n.language import translate as _
from loaderlab.publish import names


@dataclass
class _Shown:
    """The results shown since the last bet, and for each name so far the results that it was computed from."""

    since: set[str] = field(default_factory=set)
    of: dict[str, set[str]] = field(default_factory=dict)

    def beside(self, statement: ast.stmt) -> Iterator[tuple[str, set[str]]]:
        """Take a statement in; yields each bet that it compares, with the results in sight that it does not follow from."""
        read, given = names.read_and_given(statement)
        sources: set[str] = set().union(*(self.of.get(name, set()) for name in read))
        for call in (node for node in ast.walk(statement) if isinstance(node, ast.Call)):
            function = ast.unparse(call.func)
            if function == "lab.predict":
                self.since = set()
            elif function == "lab.recorded" or (
                function == "lab.benchmark" and any(word.arg == "requires" for word in call.keywords)
            ):
                self.since, sources = self.since | given, set(given)
            elif function == "lab.compare":
                compared, _given = names.read_and_given(call)
                follows: set[str] = set().union(*(self.of.get(name, set()) for name in compared))
                yield ast.literal_eval(call.args[0]), self.since - follows
        self.of |= {name: self.of.get(name, set()) | sources for name in given}


def apart(file: str, cells: Sequence[str]) -> Iterator[str]:
    """Yield a sentence for each bet whose verdict is computed without a result that stands between the two; ``cells`` are those of code."""
    shown = _Shown()
    for cell in cells:
        for statement in names.parsed(cell).body:
            for bet, missing in shown.beside(statement):
                if missing:
                    yield _(
                        "{file}: between the bet {bet!r} and its comparison the reader sees {results}, measured or "
                        "recorded, but what is compared does not follow from that: the verdict may contradict what is "
                        "seen. Compute it from all of these results, or show the picture elsewhere."
                    ).format(file=file, bet=bet, results=", ".join(sorted(missing)))
