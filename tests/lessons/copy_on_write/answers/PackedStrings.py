# %% given
# What the answers to this exercise share.
import numpy as np


class Right:
    def __init__(self, strings):
        encoded = [self.encode(s) for s in strings]
        self.text = b"".join(encoded)
        self.starts = np.cumsum([0, *map(len, encoded)], dtype=np.int64)

    def encode(self, s):
        return s.encode("utf-8")

    def decode(self, b):
        return b.decode("utf-8")

    def __len__(self):
        return len(self.starts) - 1

    def __getitem__(self, i):
        return self.decode(self.text[self.starts[i] : self.starts[i + 1]])


class AList(Right):
    def __init__(self, strings):
        self.strings = strings

    def __len__(self):
        return len(self.strings)

    def __getitem__(self, i):
        return self.strings[i]

# %% right: in parts
PackedStrings = Right

# %% right: joined
class PackedStrings(Right):
    """One string, with positions in characters."""

    def __init__(self, strings):
        self.text = "".join(strings)
        self.starts = np.cumsum([0, *map(len, strings)], dtype=np.int64)

    def decode(self, b):
        return b

# %% right: with the array module
import array


class PackedStrings(Right):
    def __init__(self, strings):
        super().__init__(strings)
        self.starts = array.array("q", self.starts.tolist())

# %% right: with tensors
import torch


class PackedStrings(Right):
    def __init__(self, strings):
        super().__init__(strings)
        self.bytes = torch.frombuffer(bytearray(self.text), dtype=torch.uint8)
        self.text, self.starts = None, torch.from_numpy(self.starts)

    def __getitem__(self, i):
        return self.decode(self.bytes[self.starts[i] : self.starts[i + 1]].numpy().tobytes())

# %% right: lengths beside ends
class PackedStrings:
    def __init__(self, strings):
        data, lengths = bytearray(), []
        for string in strings:
            raw = bytes(string, "utf8")
            data += raw
            lengths.append(len(raw))
        self.data, self.lengths = bytes(data), np.array(lengths, dtype=np.int32)
        self.ends = self.lengths.cumsum(dtype=np.int64)

    def __len__(self):
        return self.lengths.size

    def __getitem__(self, index):
        end, length = int(self.ends[index]), int(self.lengths[index])
        return str(self.data[end - length : end], "utf8")

# %% wrong: a list · fails 0, 1, 2
PackedStrings = AList

# %% wrong: a list of bytes · fails 0, 1, 2
class PackedStrings(AList):
    def __init__(self, strings):
        self.strings = [self.encode(s) for s in strings]

    def __getitem__(self, i):
        return self.decode(self.strings[i])

# %% wrong: a tuple · fails 0, 1, 2
class PackedStrings(AList):
    def __init__(self, strings):
        self.strings = tuple(strings)

# %% wrong: an array of objects · fails 0, 1, 2
class PackedStrings(AList):
    def __init__(self, strings):
        self.strings = np.array(strings, dtype=object)

# %% wrong: keeps what it has read · fails 0, 1, 2
class PackedStrings(Right):
    def __init__(self, strings):
        super().__init__(strings)
        self.seen = {}

    def __getitem__(self, i):
        if i not in self.seen:
            self.seen[i] = super().__getitem__(i)
        return self.seen[i]

# %% wrong: offsets in a list · fails 0
class PackedStrings(Right):
    def __init__(self, strings):
        super().__init__(strings)
        self.starts = self.starts.tolist()

# %% wrong: an array of fixed width · fails 1, 2
class PackedStrings(AList):
    def __init__(self, strings):
        self.strings = np.array(strings, dtype=str)

    def __getitem__(self, i):
        return str(self.strings[i])

# %% wrong: ascii · fails 0, 1, 2
class PackedStrings(Right):
    def encode(self, s):
        return s.encode("ascii")

# %% wrong: bytes come back · fails 1
class PackedStrings(Right):
    def decode(self, b):
        return bytes(b)

# %% wrong: a length too large · fails 1
class PackedStrings(Right):
    def __len__(self):
        return len(self.starts)

# %% wrong: counted in characters · fails 1
class PackedStrings(Right):
    """Bytes, but positions counted in characters."""

    def __init__(self, strings):
        super().__init__(strings)
        self.starts = np.cumsum([0, *map(len, strings)], dtype=np.int64)

    def decode(self, b):
        return b.decode("utf-8", "replace")

# %% wrong: keeps the list as well · fails 2
class PackedStrings(Right):
    def __init__(self, strings):
        super().__init__(strings)
        self.strings = strings

# %% wrong: copies everything at each access · fails 0
class PackedStrings(Right):
    def __getitem__(self, i):
        whole = np.frombuffer(self.text, np.uint8).tobytes()
        return self.decode(bytearray(whole)[self.starts[i] : self.starts[i + 1]])

# %% wrong: split at each access · fails 0, 1
class PackedStrings(Right):
    """Split at each access."""

    def __init__(self, strings):
        self.text, self.count = b"\0".join(self.encode(s) for s in strings), len(strings)

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        return self.decode(self.text.split(b"\0")[i])

# %% wrong: lengths added up · fails 0
class PackedStrings(Right):
    """Adds up the lengths at each access."""

    def __init__(self, strings):
        super().__init__(strings)
        self.lengths, self.starts = np.diff(self.starts), None

    def __len__(self):
        return len(self.lengths)

    def __getitem__(self, i):
        start = int(self.lengths[:i].sum())
        return self.decode(self.text[start : start + int(self.lengths[i])])

# %% wrong: getitem open · fails 0, 1
class PackedStrings(Right):
    def __getitem__(self, i):
        raise NotImplementedError

# %% right: begin and end in one array
class PackedStrings:
    def __init__(self, strings):
        raw = [s.encode("utf8") for s in strings]
        ends = [0]
        for each in raw:
            ends.append(ends[-1] + len(each))
        self.index = np.stack([ends[:-1], ends[1:]], axis=1)
        self.blob = np.frombuffer(b"".join(raw), dtype=np.uint8)

    def __len__(self):
        return self.index.shape[0]

    def __getitem__(self, i):
        begin, end = self.index[i]
        return bytes(self.blob[begin:end]).decode("utf8")

# %% right: a memory view and struct
import struct


class PackedStrings:
    def __init__(self, strings):
        raw = [s.encode() for s in strings]
        self.count, where, places = len(raw), 0, []
        for each in raw:
            places.append(struct.pack("<QQ", where, len(each)))
            where += len(each)
        self.all = b"".join(places) + b"".join(raw)

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        where, length = struct.unpack_from("<QQ", self.all, 16 * i)
        begin = 16 * self.count + where
        return self.all[begin : begin + length].decode()

# %% right: shared tensors
import torch


class PackedStrings(Right):
    def __init__(self, strings):
        super().__init__(strings)
        self.text = torch.tensor(list(self.text), dtype=torch.uint8)
        self.starts = torch.tensor(self.starts)

    def __getitem__(self, i):
        begin, end = self.starts[i : i + 2].tolist()
        return self.text[begin:end].numpy().tobytes().decode()

# %% wrong: a dictionary · fails 0, 1, 2
class PackedStrings(AList):
    def __init__(self, strings):
        self.strings = dict(enumerate(strings))

# %% wrong: strings joined by lines · fails 1
class PackedStrings(Right):
    """Finds where lines end, which some strings contain."""

    def __init__(self, strings):
        self.text = "\n".join(strings).encode() + b"\n"
        self.starts = np.concatenate([[0], np.flatnonzero(np.frombuffer(self.text, np.uint8) == 10) + 1])

    def decode(self, b):
        return b[:-1].decode()

# %% wrong: a list in chunks, packed · fails 0, 1, 2
class PackedStrings(Right):
    """A bytes object for every four strings."""

    def __init__(self, strings):
        super().__init__(strings)
        self.parts = [self.text[self.starts[i] : self.starts[min(i + 4, len(strings))]] for i in range(0, len(strings), 4)]
        self.text = None

    def __getitem__(self, i):
        first = self.starts[i - i % 4]
        return self.decode(self.parts[i // 4][self.starts[i] - first : self.starts[i + 1] - first])

# %% wrong: unpacked at the first reading · fails 0, 1, 2
class PackedStrings(Right):
    strings = None

    def __getitem__(self, i):
        if self.strings is None:
            self.strings = [self.text[a:b].decode() for a, b in zip(self.starts, self.starts[1:])]
        return self.strings[i]

# %% wrong: pickled each by itself · fails 2
import pickle


class PackedStrings(Right):
    """Keeps a header in front of each string."""

    def encode(self, s):
        return pickle.dumps(s)

    def decode(self, b):
        return pickle.loads(b)

# %% wrong: utf-16 · fails 2
class PackedStrings(Right):
    def encode(self, s):
        return s.encode("utf-32")

    def decode(self, b):
        return b.decode("utf-32")

# %% wrong: the last one is lost · fails 0, 1
class PackedStrings(Right):
    def __init__(self, strings):
        super().__init__(strings)
        self.starts = self.starts[:-1]
