"""Memory that is in no process's share, since nobody has mapped it, counts too."""

from __future__ import annotations

import os
import sys
import tempfile

import pytest

from loaderlab.peers.footprint import footprint

BYTES, MUCH = 64 << 20, 24 << 20  # the rest of the process moves a little


@pytest.mark.skipif(sys.platform != "linux", reason="/proc, /dev/shm")
def test_a_segment_that_nobody_has_mapped_counts_once() -> None:
    before = footprint([os.getpid()])
    with tempfile.TemporaryFile(dir="/dev/shm") as segment:
        segment.write(bytes(BYTES))
        segment.flush()
        again = os.dup(segment.fileno())
        with_it = footprint([os.getpid()])
        os.close(again)
    assert before and with_it and BYTES - MUCH <= with_it - before < BYTES + MUCH
    assert footprint([os.getpid()]) < with_it - BYTES // 2


def test_where_nothing_is_known_there_is_none() -> None:
    assert footprint([]) is None
