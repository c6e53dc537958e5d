"""The language of the messages: the course's, where these files are part of it; English in a project of yours."""

from __future__ import annotations

from typing import Any

try:
    from loaderlab.i18n.language import LANGUAGES, mark, number, of_system, translate, use

    def speak(language: str | None = None) -> None:
        """In a shell: say everything in this language from now on, the system's if not given."""
        use(language or of_system())

    def languages() -> list[str]:
        """Those that `speak` takes."""
        return list(LANGUAGES)

except ImportError:  # this folder was copied out of the course

    def speak(language: str | None = None) -> None:
        """There is English only."""

    def languages() -> list[str]:
        """Those that `speak` takes."""
        return ["en"]

    def translate(message: str) -> str:
        """Return the message itself."""
        return message

    def mark(message: Any) -> Any:
        """Return the message itself, or a dict of such."""
        return message

    def number(value: float, digits: int = 0) -> str:
        """Return the value with its thousands marked off."""
        return f"{value:,.{digits}f}"


__all__ = ["languages", "mark", "number", "speak", "translate"]
