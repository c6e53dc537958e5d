"""Live where the machine can, replayed where it cannot, honest about which."""

import json
import weakref

import pytest

from loaderlab import course
from loaderlab.i18n.errors import LabError
from loaderlab.measuring import machine
from loaderlab.measuring.attempts import attempt
from loaderlab.measuring.measure import compare
from loaderlab.measuring.soundness import Circumstances, oddities
from loaderlab.notebook import recordings, session


@pytest.fixture
def folder(tmp_path, monkeypatch, english):
    """Where the lesson that has begun keeps its recordings."""
    monkeypatch.delenv(recordings.RECORD, raising=False)
    monkeypatch.setattr(session, "_session", session.Session(course.Lesson("x", 1, 1, folder_root=tmp_path)))
    (tmp_path / "x" / "recordings").mkdir(parents=True)
    return tmp_path / "x" / "recordings"


def two_rows(scale=1):
    yield {"num_workers": 0, "samples_per_second": 10.0 * scale}
    yield {"num_workers": 2, "samples_per_second": 20.0 * scale}


def stored(folder, device, date, scale):
    path = recordings.write(folder, "x", "two_rows", {}, {"cuda": 10_000}, device, list(two_rows(scale)))
    recording = json.loads(path.read_text())
    path.write_text(json.dumps(recording | {"date": date}))


def test_runs_live_where_nothing_is_missing(folder):
    result = recordings.benchmark(two_rows, scale=3)
    assert result.live and result.rows[1]["samples_per_second"] == 60
    assert "measured here" in result.stamp


def test_says_so_where_it_can_neither_run_nor_replay(folder):
    result = recordings.benchmark(two_rows, requires={"cuda": 10_000})
    assert result.rows == [] and "no result" in result.stamp


def test_replays_the_newest_recording_and_names_its_device(folder):
    stored(folder, "GPU A", "2026-01-02", 1)
    stored(folder, "GPU B", "2026-03-04", 2)
    result = recordings.benchmark(two_rows, requires={"cuda": 10_000})
    assert not result.live and result.rows == list(two_rows(2))
    assert result.stamp.startswith("recorded on GPU B · ") and result.stamp.endswith(", 2026-03-04")


@pytest.mark.parametrize(
    ("lacks", "virtual", "said"),
    [
        ((), True, "GPU A · Any CPU, virtual cores: 16 · torch 2.11"),
        ((), None, "GPU A · Any CPU, cores: 16 · torch 2.11"),
        (("host",), True, "GPU A · torch 2.11"),
        (("host", "versions"), True, "GPU A"),
    ],
)
def test_a_stamp_says_what_decided_the_figures_as_far_as_the_recording_does(
    folder, monkeypatch, lacks, virtual, said
):
    monkeypatch.setattr(machine, "device_name", lambda _kind: "Any CPU × 16")
    monkeypatch.setattr(machine, "is_virtual", lambda: virtual)
    monkeypatch.setattr("torch.__version__", "2.11.0+cu130")
    path = recordings.write(folder, "x", "two_rows", {}, {"cuda": 10_000}, "GPU A", list(two_rows()))
    recording = json.loads(path.read_text()) | {"date": "2026-01-02"}
    assert recording["host"] == {"name": "Any CPU × 16", "virtual": virtual}
    path.write_text(json.dumps(recording | {key: {} for key in lacks}))
    assert recordings.newest("two_rows").stamp == f"recorded on {said}, 2026-01-02"


def test_a_recording_of_a_processor_names_it_once(folder, monkeypatch):
    monkeypatch.setattr(machine, "device_name", lambda _kind: "Any CPU × 2.5")
    monkeypatch.setattr(machine, "is_virtual", lambda: True)
    recordings.write(folder, "x", "two_rows", {}, {}, "Any CPU × 2.5", list(two_rows()))
    assert recordings.newest("two_rows").stamp.startswith("recorded on Any CPU, virtual cores: 2.5 · torch ")


def test_a_recording_of_other_arguments_is_not_replayed(folder):
    stored(folder, "GPU A", "2026-01-02", 1)
    assert recordings.benchmark(two_rows, requires={"cuda": 10_000}, scale=2).rows == []


def test_a_tuple_among_the_arguments_finds_its_recording(folder):
    recordings.write(folder, "x", "two_rows", {"sizes": (1, 2)}, {"cuda": 10_000}, "GPU A", list(two_rows()))
    assert recordings.benchmark(two_rows, requires={"cuda": 10_000}, sizes=(1, 2)).rows == list(two_rows())
    assert recordings.benchmark(two_rows, requires={"cuda": 10_000}, sizes=(1, 3)).rows == []
    assert recordings.benchmark(two_rows, requires={"cuda": 10_000}, sizes={1, 2}).rows == []  # no JSON


def test_only_a_live_run_that_needs_something_records(folder, monkeypatch):
    monkeypatch.setenv(recordings.RECORD, str(folder))
    recordings.benchmark(two_rows)
    recordings.benchmark(two_rows, requires={"cuda": 10_000})
    assert not list(folder.rglob("*.json"))
    recordings.benchmark(two_rows, requires={"cores": 0.1})
    (path,) = folder.rglob("*.json")
    recording = recordings.read(path)
    assert recording["rows"] == list(two_rows()) and recording["device"] and recording["date"]


def test_a_recording_names_the_device_that_made_it(folder, monkeypatch):
    monkeypatch.setenv(recordings.RECORD, str(folder))
    monkeypatch.setattr(machine, "device_name", lambda kind: f"this very {kind}")
    result = recordings.benchmark(two_rows, requires={"cores": 1})
    (path,) = folder.rglob("*.json")
    assert json.loads(path.read_text())["device"] == result.device == "this very cpu"


@pytest.mark.parametrize("text", ["not json", "[]", '{"schema": 99}'])
def test_a_file_that_is_no_recording_is_named(folder, text):
    path = folder / "bad.json"
    path.write_text(text)
    with pytest.raises(LabError, match="bad.json"):
        recordings.read(path)


def test_rows_hold_plain_values_only(folder):
    with pytest.raises(LabError, match="column of type list"):
        recordings.benchmark(lambda: iter([{"column": [1]}]))


def test_unknown_requirement_is_refused(folder):
    with pytest.raises(LabError, match="cuda, cores"):
        recordings.benchmark(two_rows, requires={"tpu": 1})


def test_rows_are_chosen_by_their_values() -> None:
    result = recordings.Result("peers", [{"peer": "a", "mib": 1}, {"peer": "b", "mib": 1}], device="a CPU")
    assert result.where(peer="b").rows == [{"peer": "b", "mib": 1}]
    assert result.where(mib=2).rows == result.where(speed=1).rows == []
    assert result.where(peer="b").stamp == result.stamp


def ways(broken=("b",), early=False):
    for way in "abc":
        with attempt(way, 1):
            if way in broken:
                raise RuntimeError("out of memory\nand more")
            yield {"way": way, "ms": 1.0}
    if early:
        raise OSError("the device is gone")


def test_a_way_that_fails_costs_no_rows_but_its_own_and_is_said(folder, capsys):
    result = recordings.benchmark(ways)
    assert [row["way"] for row in result.rows] == ["a", "c"]
    assert result.left_out == {"b, 1": "RuntimeError: out of memory"}
    assert (
        "b, 1 failed (RuntimeError: out of memory), and what was not measured by then is missing."
        in capsys.readouterr().out
    )


def test_a_benchmark_that_ends_early_keeps_what_it_has_measured(folder, capsys):
    assert [row["way"] for row in recordings.benchmark(ways, early=True).rows] == ["a", "c"]
    assert "ways ended early: OSError: the device is gone" in capsys.readouterr().out


def test_where_nothing_was_measured_the_error_is_raised(folder):
    with pytest.raises(RuntimeError, match="out of memory"):
        recordings.benchmark(ways, broken="abc")


def test_what_was_left_out_is_recorded_and_said_again_where_it_is_replayed(folder, monkeypatch, capsys):
    monkeypatch.setenv(recordings.RECORD, str(folder))
    recordings.benchmark(ways, requires={"cores": 0.1})
    capsys.readouterr()
    result = recordings._replay(session.current().lesson, "ways", {}, "")
    assert result.left_out == {"b, 1": "RuntimeError: out of memory"} and len(result.rows) == 2
    assert "b, 1 failed" in capsys.readouterr().out


def test_a_variant_that_fails_in_one_of_its_turns_keeps_the_turns_before_and_the_others(folder):
    turns = []

    def fails_late():
        turns.append(len(turns))
        if len(turns) > 2:
            raise MemoryError
        return turns[-1]

    def compared():
        for way, times in compare({"late": fails_late, "good": lambda: 7}, repeats=4).items():
            yield from ({"way": way, "ms": ms} for ms in times)

    result = recordings.benchmark(compared)
    assert [row["ms"] for row in result.rows] == [0, 1, 7, 7, 7, 7] and len(turns) == 3
    assert result.left_out == {"late": "MemoryError"}
    with pytest.raises(MemoryError):  # outside of a benchmark nobody would hear of it
        compare({"late": fails_late}, repeats=1)


def test_what_a_failed_way_had_in_memory_is_given_back_before_the_next_one(folder):
    kept = []

    class Buffer:
        """What a way allocates."""

    def ways():
        for way in "ab":
            with attempt(way):
                if way == "a":
                    fill(kept)
                yield {"way": way, "alive": kept[0]() is not None}

    def fill(kept):
        buffer = Buffer()
        kept.append(weakref.ref(buffer))
        raise MemoryError

    assert recordings.benchmark(ways).rows == [{"way": "b", "alive": False}]


AXES = [("num_workers", "samples_per_second"), ("mib", "gb_per_s")]  # of the pictures that show a limit


def drawn_with_a_limit():
    """The recordings whose picture has a limit, each with its rows and the names of its columns."""
    for path in (path for lesson in course.lessons() for path in lesson.recordings):
        rows = recordings.read(path)["rows"]
        for x, y in AXES:
            if any("limit" in row and y not in row for row in rows) and any(
                {x, y} <= row.keys() for row in rows
            ):
                by = next(
                    (column for column in ("source", "dataset", "gpus", "variant") if column in rows[0]), None
                )
                yield pytest.param(rows, x, y, by, id=f"{path.parts[-3]}-{path.stem[:20]}")


@pytest.mark.parametrize(("rows", "x", "y", "by"), list(drawn_with_a_limit()))
def test_nothing_recorded_is_above_its_own_limit(rows, x, y, by):
    """A picture of a recording does not carry its rows, so that `loaderlab build --check` cannot see it."""

    def above(rows):
        return [odd for odd in oddities(rows, x, y, by, Circumstances()) if odd.kind == "limit"]

    assert not above(rows)
    assert above([row | {"limit": row["limit"] / 10} if "limit" in row else row for row in rows])


def test_a_number_is_recorded_in_four_digits(tmp_path):
    path = recordings.write(tmp_path, "x", "b", {}, {}, "CPU", [{"ms": 1 / 3, "count": 12345}])
    assert recordings.read(path)["rows"] == [{"ms": 0.3333, "count": 12345}]
