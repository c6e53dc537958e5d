"""A CUDA that does nothing but write down the order of what is asked of it, on any machine.

``torch.cuda`` is replaced while a probe runs, and the loader's batches are tensors that note where they are
sent. Each stream knows which earlier operations it has to come after, so that afterwards one can ask: must
step 3 wait for copy 3? For copy 4? No clock is involved.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import torch


class Log:
    """The log of operations and their streams, in the order in which the host asked for them."""

    def __init__(self) -> None:
        self.default = Stream(log=self)
        self.current = self.default
        self.operations: list[dict[str, Any]] = []
        self.blocking: list[str] = []  # what made the host wait
        self.finished: set[int] = set()  # operations that the host has seen the end of
        self.records: set[tuple[int, int, int]] = set()  # (batch, field, stream)

    def enqueue(self, kind: str, batch: int, field: int = 0) -> None:
        """Log an operation of the current stream, after all that this stream has to wait for."""
        number = len(self.operations)
        stream = self.current
        stream.after |= self.finished
        self.operations.append(
            {
                "kind": kind,
                "batch": batch,
                "field": field,
                "stream": stream.number,
                "after": sorted(stream.after),
            }
        )
        stream.after.add(number)

    def block(self, what: str, until: set[int]) -> None:
        """Let the host wait for these operations: whatever it asks for from now on comes after them."""
        self.blocking.append(what)
        self.finished |= until


_LOG: list[Log] = []


def _log() -> Log:
    return _LOG[-1]


class Stream:
    """A stand-in for ``torch.cuda.Stream``: ``after`` are the operations that its next one has to wait for."""

    _count = 0

    def __init__(self, *_arguments: Any, log: Log | None = None, **_options: Any) -> None:
        Stream._count += 1
        self.number = 0 if log is not None else Stream._count
        self.cuda_stream = self.stream_id = self.number
        self.device = "cuda:0"
        self.after: set[int] = set()
        self._outer: list[Stream] = []

    def wait_stream(self, stream: Stream) -> None:
        self.after |= stream.after

    def wait_event(self, event: Event) -> None:
        self.after |= event.after

    def record_event(self, event: Event | None = None) -> Event:
        event = event or Event()
        event.record(self)
        return event

    def synchronize(self) -> None:
        _log().block("Stream.synchronize", self.after)

    def query(self) -> bool:
        return False

    def __enter__(self) -> Any:
        self._outer.append(_log().current)
        _log().current = self
        return self

    def __exit__(self, *_exception: object) -> None:
        _log().current = self._outer.pop()

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)


class Event:
    """A stand-in for ``torch.cuda.Event``."""

    def __init__(self, *_arguments: Any, **_options: Any) -> None:
        self.after: set[int] = set()

    def record(self, stream: Stream | None = None) -> None:
        self.after = set((stream or _log().current).after)

    def wait(self, stream: Stream | None = None) -> None:
        (stream or _log().current).wait_event(self)

    def synchronize(self) -> None:
        _log().block("Event.synchronize", self.after)

    def query(self) -> bool:
        return False

    def elapsed_time(self, _other: Event) -> float:
        return 0.0


def _synchronize(*_arguments: Any) -> None:
    _log().block("torch.cuda.synchronize", set(range(len(_log().operations))))


@contextmanager
def _stream(stream: Stream | None) -> Iterator[Stream | None]:
    if stream is None:
        yield None
        return
    with stream:
        yield stream


def _set_stream(stream: Stream) -> None:
    _log().current = stream


_CUDA: dict[str, Any] = {
    "Stream": Stream,
    "Event": Event,
    "stream": _stream,
    "StreamContext": _stream,
    "set_stream": _set_stream,
    "current_stream": lambda *_a, **_o: _log().current,
    "default_stream": lambda *_a, **_o: _log().default,
    "synchronize": _synchronize,
    "is_available": lambda: True,
    "device_count": lambda: 1,
    "current_device": lambda: 0,
}


class Tensor(torch.Tensor):
    """A field of a batch, which knows where it is; ``.to("cuda")`` and ``.cuda()`` are noted."""

    batch: int
    field: int
    place: str
    is_memory_pinned: bool

    @staticmethod
    def of(values: torch.Tensor, batch: int, field: int, place: str, pinned: bool) -> Tensor:
        made = values.detach().as_subclass(Tensor)
        made.batch, made.field, made.place, made.is_memory_pinned = batch, field, place, pinned
        return made

    def to(self, *arguments: Any, **options: Any) -> Any:
        target = options.get("device", arguments[0] if arguments else None)
        if isinstance(target, torch.Tensor):
            target = getattr(target, "place", "cpu")
        if isinstance(target, torch.dtype) or not str(target).startswith(("cuda", "0")):
            return self
        flags = [a for a in arguments[1:] if isinstance(a, bool)]
        return self._send(options.get("non_blocking", flags[0] if flags else False))

    def cuda(self, device: Any = None, non_blocking: bool = False, **_options: Any) -> Any:
        return self._send(non_blocking)

    def _send(self, non_blocking: bool) -> Tensor:
        if self.place == "cuda":
            return self
        log = _log()
        log.enqueue("copy", self.batch, self.field)
        if not self.is_memory_pinned:
            log.block("pageable", log.current.after)
        elif not non_blocking:
            log.block("non_blocking=False", log.current.after)
        return Tensor.of(self.as_subclass(torch.Tensor).clone(), self.batch, self.field, "cuda", False)

    def pin_memory(self, *_arguments: Any, **_options: Any) -> Any:
        if not self.is_memory_pinned:
            _log().block("pin_memory", set())
        return Tensor.of(self.as_subclass(torch.Tensor).clone(), self.batch, self.field, "cpu", True)

    def is_pinned(self, *_arguments: Any) -> bool:
        return self.is_memory_pinned

    def record_stream(self, stream: Stream) -> None:
        if self.place == "cuda":
            _log().records.add((self.batch, self.field, stream.number))

    @property
    def is_cuda(self) -> bool:
        return self.place == "cuda"


@contextmanager
def watching() -> Iterator[Log]:
    """While the body runs, ``torch.cuda`` only writes down what is asked of it, also where there is a GPU."""
    with ExitStack() as stack:
        log = Log()
        _LOG.append(log)
        stack.callback(_LOG.pop)
        for name, stand_in in _CUDA.items():
            stack.enter_context(patch.object(torch.cuda, name, stand_in))
        yield log


def batches(count: int) -> list[list[Tensor]]:
    """Pinned batches of two fields, images and labels, as a loader would hand them out."""
    return [
        [
            Tensor.of(torch.full((4, 3), float(batch)), batch, 0, "cpu", True),
            Tensor.of(torch.full((4,), float(batch)), batch, 1, "cpu", True),
        ]
        for batch in range(count)
    ]


def compute(batch: Any) -> tuple[int, bool]:
    """Run a step on the current stream; return the batch's number, by its values, and whether its fields, in order, are on the device."""
    fields = list(batch)
    numbers = {int(torch.Tensor.as_subclass(f, torch.Tensor).flatten()[0]) for f in fields}
    places = [(getattr(f, "field", -1), getattr(f, "place", "cpu")) for f in fields]
    on_device = places == [(0, "cuda"), (1, "cuda")]
    number = numbers.pop() if len(numbers) == 1 else -1
    _log().enqueue("step", number)
    return number, on_device
