"""Calls that PyTorch for CUDA refuses, made on the stand-in: a program, which prints those that the stand-in accepts."""

import torch

import stand_in

stand_in.install()
SOURCE = "__global__ void f(float4* x, const int* y, int n) {}"
kernel = torch.cuda._compile_kernel(SOURCE, "f")
event, stream, ones = torch.cuda.Event(enable_timing=True), torch.cuda.Stream(), torch.ones(8)
event.record()
numbers = torch.ones(8, dtype=torch.int32)
right = {"grid": (1, 1, 1), "block": (32, 1, 1)}

ACCEPTED = {
    "an event with its options": lambda: torch.cuda.Event(enable_timing=True, blocking=True),
    "a stream with a priority": lambda: torch.cuda.Stream(priority=-1),
    "an event in a stream": lambda: event.record(stream),
    "a time between events": lambda: event.elapsed_time(event),
    "a graph": lambda: torch.cuda.graph(torch.cuda.CUDAGraph()).__enter__(),
    "a kernel": lambda: kernel(**right, args=[ones, numbers, 3]),
    "properties": lambda: torch.cuda.get_device_properties(0).L2_cache_size,
    "a pinned copy": lambda: ones.pin_memory().to("cuda", non_blocking=True),
    "a tensor in use": lambda: ones.record_stream(stream),
}
REFUSED = {
    "an event with another option": lambda: torch.cuda.Event(enable=True),
    "an event with too many options": lambda: torch.cuda.Event(True, True, True, True, True),
    "a stream with another option": lambda: torch.cuda.Stream(order=1),
    "a stream that waits for nothing": stream.wait_stream,
    "a stream that waits by another name": lambda: stream.wait_event(on=event),
    "an event asked for a time by another name": lambda: event.elapsed_time(until=event),
    "a synchronisation with an option": lambda: torch.cuda.synchronize(wait=True),
    "an accelerator by name": lambda: torch.accelerator.synchronize(device="cuda"),
    "an allocator asked for a unit": lambda: torch.cuda.max_memory_allocated(unit="MiB"),
    "a graph without a graph": torch.cuda.graph,
    "a graph replayed with an input": lambda: torch.cuda.CUDAGraph().replay(ones),
    "a pinned copy with an option": lambda: ones.pin_memory(non_blocking=True),
    "a tensor in use by no stream": ones.record_stream,
    "a kernel without its name": lambda: torch.cuda._compile_kernel(SOURCE),
    "a kernel of another name": lambda: torch.cuda._compile_kernel(SOURCE, "g"),
    "a kernel called by other names": lambda: kernel(blocks=(1, 1, 1), threads=(1, 1, 1), args=[]),
    "a kernel with too few arguments": lambda: kernel(**right, args=[ones, numbers]),
    "a kernel with a tensor of other numbers": lambda: kernel(**right, args=[ones, ones, 3]),
    "a kernel with a tensor that float4 does not fill": lambda: kernel(**right, args=[ones[:6], numbers, 3]),
    "a kernel with an integer beyond C's int": lambda: kernel(**right, args=[ones, numbers, 2**31]),
    "a kernel in blocks that are too large": lambda: kernel((1, 1, 1), (1025, 1, 1), [ones, numbers, 3]),
    "a property that no device has": lambda: torch.cuda.get_device_properties(0).l2_cache_size,
}


def refused(call):
    """Return whether the call raises what PyTorch, or a kernel that does not fit, would raise."""
    try:
        call()
    except (TypeError, AttributeError, AssertionError):
        return True
    return False


print(
    [name for name, call in ACCEPTED.items() if refused(call)],
    [n for n, c in REFUSED.items() if not refused(c)],
)
