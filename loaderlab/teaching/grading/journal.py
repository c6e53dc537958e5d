"""The journal of answers that were probed, one line of JSON each: an interrupted run can go on, and some can be probed again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any


class Journal:
    """Responses of the sandbox by what they depend on. They stay in the file, for they may be large.

    ``path`` None: nothing is kept. ``protections``: what the zygotes said that gave these responses.
    """

    def __init__(self, path: Path | None, resume: bool, kit: str) -> None:
        """Begin with what the file has if ``resume``, else with an empty file. ``kit``: a digest of the code."""
        self._path, self._kit = path, kit
        self._protection = (
            f"protection {kit}"  # another version's says nothing of the answers taken from here
        )
        self._places: dict[str, int] = {}
        self.protections: list[dict[str, Any]] = []
        if path is None:
            return
        if resume and path.is_file():
            with path.open("rb") as file:
                place = 0
                for line in file:
                    # The last line may be cut.
                    with suppress(ValueError, KeyError, TypeError, RecursionError):
                        entry = json.loads(line)
                        self._places[entry["key"]] = place
                        if entry["key"] == self._protection:
                            self.protections.append(entry["response"])
                    place += len(line)
            if place and not line.endswith(b"\n"):
                with path.open("ab") as file:
                    file.write(b"\n")
        else:
            path.write_text("", "utf-8")
            path.chmod(0o600)  # it holds what students wrote

    def get(self, request: Mapping[str, Any]) -> Any:
        """Return the response to this request, or None."""
        place = self._places.get(self._key(request))
        if place is None or self._path is None:
            return None
        with self._path.open("rb") as file:
            file.seek(place)
            return json.loads(file.readline())["response"]

    def add(self, request: Mapping[str, Any], response: Any) -> None:
        """Keep a response, at once."""
        self._write(self._key(request), response)

    def protect(self, protection: dict[str, Any]) -> None:
        """Keep what a zygote said that it protects."""
        if protection not in self.protections:
            self.protections.append(protection)
            self._write(self._protection, protection)

    def _write(self, key: str, response: Any) -> None:
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"key": key, "response": response}) + "\n")

    def _key(self, request: Mapping[str, Any]) -> str:
        return hashlib.sha256(json.dumps([self._kit, request], sort_keys=True).encode()).hexdigest()
