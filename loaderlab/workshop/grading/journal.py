"""What has been probed already, one line of JSON each, so that a run that was interrupted can go on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any


class Journal:
    """Responses of the sandbox by what they depend on. ``path`` None: kept in memory only."""

    def __init__(self, path: Path | None, resume: bool, kit: str) -> None:
        """With ``resume`` it begins with what the file has; else with an empty file. ``kit``: a digest of the code."""
        self._path, self._kit = path, kit
        self._known: dict[str, Any] = {}
        if path is None:
            return
        if resume and path.is_file():
            for line in path.read_text("utf-8").splitlines():
                with suppress(ValueError, KeyError, TypeError):  # the last line may be cut
                    entry = json.loads(line)
                    self._known[entry["key"]] = entry["response"]
        else:
            path.write_text("", "utf-8")
            path.chmod(0o600)  # it holds what students wrote

    def get(self, request: Mapping[str, Any]) -> Any:
        """The response to this request, or None."""
        return self._known.get(self._key(request))

    def add(self, request: Mapping[str, Any], response: Any) -> None:
        """Keep a response, at once."""
        key = self._key(request)
        self._known[key] = response
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"key": key, "response": response}) + "\n")

    def _key(self, request: Mapping[str, Any]) -> str:
        return hashlib.sha256(json.dumps([self._kit, request], sort_keys=True).encode()).hexdigest()
