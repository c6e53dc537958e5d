"""The panel of an explorer: what a front end shows of a scene, and what it does with what a learner moves, presses and answers.

`state` has the traits that `notebook/front/explorer.js` reads, and `receive` takes the messages that it sends. Nothing here knows
what carries the two: in a notebook a widget does, on the website a page.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from loaderlab.course.markup import html, plain
from loaderlab.course.numerals import read
from loaderlab.course.question import Question, without
from loaderlab.drawing.picture import Picture
from loaderlab.drawing.scene import Parameter, Scene, written
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _

_LOG = logging.getLogger(__name__)  # the traceback, for whoever wrote the scene

Traits = dict[str, Any]


class Panel:
    """A scene with its controls at ``values``, which give ``picture``, and its ``questions``, each with its text in full, as HTML.

    ``tell(traits)`` is called with what is to be seen before an answer is there, while a measurement runs.
    """

    def __init__(
        self,
        scene: Scene,
        values: dict[str, Any],
        picture: Picture,
        questions: Sequence[Question] = (),
        texts: Sequence[str] = (),
        tell: Callable[[Traits], None] = lambda _traits: None,
    ) -> None:
        self.scene, self.values, self.picture, self.questions, self.tell = (
            scene, values, picture, tuple(questions), tell,
        )  # fmt: skip
        self.texts = tuple(texts) or ("",) * len(self.questions)
        self.first = values
        self.asked: Question | None = None
        self.answered: list[Question] = []
        self.verdict, self.warning, self.running, self.error = "", "", "", False
        # Of the pictures so far, and of those that the controls can give: height to width.
        self.tallest = _height_to_width(scene.draw(**{**scene.defaults, **scene.tallest}))
        self._grow()

    # --- what is shown ---------------------------------------------------------------------------

    @property
    def state(self) -> Traits:
        """The traits, as JSON has them; each has the same type whatever the scene."""
        return {
            "name": self.scene.name,
            "controls": [self._control(parameter) for parameter in self.scene.parameters],
            "buttons": self._buttons(),
            "questions": [self._question(*each) for each in zip(self.questions, self.texts, strict=True)],
            "words": {
                "more": _("more settings"),
                "choose": _("Choose a question: the sliders move to its starting values, and a field for your answer opens."),
                "answer": _("your answer"),
                "check": _("Check"),
                "busy": _("The kernel is busy: the picture follows as soon as the running cell has ended."),
                "gone": _("The kernel was restarted. Run this cell again to move the sliders."),
            },
            **self._moving,
        }  # fmt: skip

    @property
    def _moving(self) -> Traits:
        """The traits that change."""
        return {
            "values": {p.name: self._sent(p, self.values[p.name]) for p in self.scene.parameters},
            "shown": list(self._shown()),
            "picture": self.picture.svg,
            "spots": self.picture.spots,
            "room": self.tallest,
            "sentence": self.running or self._said(),
            "alt": plain(self.sentence),
            "busy": bool(self.running),
            "asked": self.questions.index(self.asked) if self.asked else -1,
            "verdict": self.verdict,
        }

    @property
    def sentence(self) -> str:
        """The content of the picture in words, without what an open question asks."""
        return without(self.picture.text, self.open)

    @property
    def open(self) -> list[Question]:
        """The questions that are not answered yet."""
        return [question for question in self.questions if question not in self.answered]

    def _said(self) -> str:
        """Return the sentence as HTML, after a warning."""
        warned = f'<span class="lab-error">⚠ {html(self.warning)}</span> ' if self.warning else ""
        return f"<p>{warned}{'' if self.error else html(self.sentence)}</p>"

    def _shown(self) -> tuple[str, ...]:
        """Return the names of the controls that are not folded: those that a question is answered with, else the scene's."""
        moves = self.asked.moves if self.asked else ()
        return moves or self.scene.opens or (self.scene.parameters[0].name,)

    def _control(self, p: Parameter) -> dict[str, Any]:
        kind = "list" if p.choices else "slider" if p.is_number else "flag"
        return {
            "name": p.name,
            "kind": kind,
            "label": p.description,
            "low": p.low,
            "high": p.high,
            "step": p.step,
            "options": [text for text, _value in p.options],
        }

    def _buttons(self) -> list[dict[str, str]]:
        measure = [{"event": "measure", "label": _("Measure")}] if self.scene.measure else []
        return [*measure, {"event": "reset", "label": _("Reset")}]

    def _question(self, question: Question, text: str) -> dict[str, Any]:
        asked = question.asked
        return {
            "label": _("Question {number}").format(number=self.questions.index(question) + 1),
            "text": text,
            "heading": html(asked.heading),
            "choices": [plain(_(words)) for words in asked.choices.values()],
        }

    @staticmethod
    def _sent(parameter: Parameter, value: Any) -> Any:
        """Return a value as JSON has it: of a list, its place there."""
        return parameter.choices.index(value) if parameter.choices else value

    # --- what is done ----------------------------------------------------------------------------

    def receive(self, message: dict[str, Any]) -> Traits:
        """Do what a front end asks for, and return the traits that changed by it."""
        before = self._moving
        actions: dict[str, Callable[[dict[str, Any]], None]] = {
            "move": self._move,
            "link": lambda message: self._draw(self.values | linked(self.scene, message["values"])),
            "reset": lambda _message: self._draw(self.first),
            "measure": lambda _message: self._measure(),
            "ask": lambda message: self._ask(self.questions[message["question"]]),
            "answer": self._answer,
        }
        if (action := actions.get(message.get("event", ""))) is not None:
            self._guarded(lambda: action(message))
        return {name: value for name, value in self._moving.items() if value != before[name]}

    def _move(self, message: dict[str, Any]) -> None:
        (parameter,) = (p for p in self.scene.parameters if p.name == message["name"])
        value = message["value"]
        if parameter.choices:
            value = parameter.choices[value]
        elif parameter.is_number and message.get("slider"):
            value = parameter.on_step(value)
        possible = parameter.nearest(value) if parameter.is_number else value
        self._draw(self.values | {parameter.name: possible})
        if possible != value:
            self.warning = _(
                "{label} was set to {nearest}, the nearest possible value. Expected: {expected}."
            ).format(label=parameter.description, nearest=written(possible), expected=parameter.expected)

    def _draw(self, values: dict[str, Any]) -> None:
        self.values, self.warning, self.error = values, "", False
        self.picture = self.scene.draw(**values)
        self._grow()

    def _measure(self) -> None:
        if (run := self.scene.measure) is None:
            return
        self.warning, self.error = "", False
        self.running = self._how_long()
        self.tell({"sentence": self.running, "busy": True})
        try:
            self.picture = run(**self.values)
            self._grow()
        finally:
            self.running = ""
            self.tell({"busy": False, "sentence": self._said()})

    def _how_long(self) -> str:
        """Return a bar and seconds, which run in the browser, where they disturb no measurement."""
        if self.scene.seconds is None:
            known, words = "", _("Measuring: this setting runs for real on this machine, for some seconds.")
        else:
            seconds = max(1, round(self.scene.seconds(**self.values)))
            known = f' class="lab-known" style="--lab-takes:{seconds}s"'
            words = _("Measuring: this setting runs for real on this machine, for about {seconds} s.").format(
                seconds=number(seconds)
            )
        return f'<p>{html(words)}</p><div class="lab-running" aria-hidden="true"><i{known}></i><span></span></div>'

    def _ask(self, question: Question) -> None:
        self.asked, self.verdict = question, ""
        self._draw(self.scene.defaults | dict(question.start))

    def _answer(self, message: dict[str, Any]) -> None:
        if (question := self.asked) is None:
            return
        asked = question.asked
        try:
            if asked.choices:
                guess = list(asked.choices)[message["choice"]]
            else:
                guess = asked.typed([message["text"]])
            outcome = question.judge(guess, self._where_to_look(question))
            if outcome.good:
                self.answered.append(question)
            words = str(outcome)
        except LabError as error:
            words = f"⚠ {error}"
        self.verdict = html(words)

    def _where_to_look(self, question: Question) -> str:
        """Return which controls show the answer; the first thing to say is that all of them stand where the question began."""
        controls = [p for p in self.scene.parameters if p.name in self._shown()]
        began = self.scene.defaults | dict(question.start)
        words = (
            _("Nothing has changed yet. Change this, and look: {controls}.")
            if all(self.values[p.name] == began[p.name] for p in controls)
            else _("Change this, and look again: {controls}.")
        )
        return words.format(controls=", ".join(p.description for p in controls))

    def _guarded(self, action: Callable[[], None]) -> None:
        """Act, and say errors where the learner looks, since a front end swallows what a callback raises."""
        try:
            action()
        except LabError as error:
            self.warning, self.error = str(error), True
        except KeyboardInterrupt:
            self.warning, self.error = _("Interrupted. Nothing that was started is still running."), True
        except Exception as error:  # noqa: BLE001 (whatever a scene raises)
            self.warning, self.error = f"{type(error).__name__}: {error}", True
            _LOG.exception("The explorer %r with %r", self.scene.name, self.values)

    def _grow(self) -> None:
        self.tallest = max(self.tallest, _height_to_width(self.picture))


def linked(scene: Scene, values: Mapping[str, str]) -> dict[str, Any]:
    """Return what a link such as ``#timeline?num_workers=5`` sets of a scene, as near as a control can have it.

    What names no control is left out; raises :class:`LabError` for a value that a control cannot have.
    """
    known = {parameter.name: parameter for parameter in scene.parameters}
    return {name: _read(known[name], text) for name, text in values.items() if name in known}


def _read(parameter: Parameter, text: str) -> Any:
    if parameter.choices:
        return parameter.check(next((each for each in parameter.choices if str(each) == text), text))
    if not parameter.is_number:
        return parameter.check({"true": True, "false": False}.get(text.lower(), text))
    return parameter.nearest(read(text))


def _height_to_width(picture: Picture) -> float:
    return picture.height / picture.width
