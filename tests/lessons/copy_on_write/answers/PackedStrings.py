# %% given
# What the answers to this exercise share.
import numpy as np


class Right:
    def __init__(self, strings):
        encoded = [self.encode(s) for s in strings]
        self.text = b"".join(encoded)
        self.starts = np.cumsum([0, *map(len, encoded)], dtype=np.int64)

    def encode(self, s):
        return s.encode("utf-8", "surrogatepass")

    def decode(self, b):
        return b.decode("utf-8", "surrogatepass")

    def __len__(self):
        return len(self.starts) - 1

    def at(self, i):
        return self.decode(self.text[self.starts[i] : self.starts[i + 1]])

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self.at(i) for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        return self.at(index % len(self))


class AList(Right):
    def __init__(self, strings):
        self.strings = strings

    def __len__(self):
        return len(self.strings)

    def at(self, i):
        return self.strings[i]

# %% right: in parts
PackedStrings = Right

# %% right: joined
import numpy as np


class PackedStrings(Right):
    """One string, with positions in characters."""

    def __init__(self, strings):
        self.text = "".join(strings)
        self.starts = np.cumsum([0, *map(len, strings)], dtype=np.int64)

    def decode(self, b):
        return b

# %% right: witharraymodule
import array


class PackedStrings(Right):
    def __init__(self, strings):
        super().__init__(strings)
        self.starts = array.array("q", self.starts.tolist())

# %% right: withtensors
import torch


class PackedStrings(Right):
    def __init__(self, strings):
        super().__init__(strings)
        self.bytes = torch.frombuffer(bytearray(self.text or b"\0"), dtype=torch.uint8)
        self.text, self.starts = None, torch.from_numpy(self.starts)

    def at(self, i):
        return self.decode(self.bytes[self.starts[i] : self.starts[i + 1]].numpy().tobytes())

# %% wrong: a length too large · fails 0, 1, 2, 3
class PackedStrings(Right):
    def __len__(self):
        return len(self.starts)

# %% wrong: a list · fails 5
PackedStrings = AList

# %% wrong: a list of bytes · fails 5
class PackedStrings(AList):
    def __init__(self, strings):
        self.strings = [self.encode(s) for s in strings]

    def at(self, i):
        return self.decode(self.strings[i])

# %% wrong: an array of fixed width · fails 0, 4
class PackedStrings(AList):
    def __init__(self, strings):
        self.strings = np.array(strings, dtype=str)

    def at(self, i):
        return str(self.strings[i])

# %% wrong: an array of objects · fails 5
class PackedStrings(AList):
    def __init__(self, strings):
        self.strings = np.array(strings, dtype=object)

# %% wrong: ascii · fails 0, 1, 2, 3, 4, 5, 6
class PackedStrings(Right):
    def encode(self, s):
        return s.encode("ascii")

# %% wrong: bytes come back · fails 0, 1, 2, 3
class PackedStrings(Right):
    def decode(self, b):
        return bytes(b)

# %% wrong: copies everything at each access · fails 5, 6
class PackedStrings(Right):
    def at(self, i):
        whole = np.frombuffer(self.text, np.uint8).tobytes()
        return self.decode(bytearray(whole)[self.starts[i] : self.starts[i + 1]])

# %% wrong: counted in characters · fails 0, 1, 2, 3
class PackedStrings(Right):
    """Bytes, but positions counted in characters."""

    def __init__(self, strings):
        super().__init__(strings)
        self.starts = np.cumsum([0, *map(len, strings)], dtype=np.int64)

    def decode(self, b):
        return b.decode("utf-8", "replace")

# %% wrong: encodes in the list · fails 0
class PackedStrings(Right):
    def __init__(self, strings):
        super().__init__(strings)
        strings[:] = map(self.encode, strings)

# %% wrong: keeps the list as well · fails 4
class PackedStrings(Right):
    def __init__(self, strings):
        super().__init__(strings)
        self.strings = strings

# %% wrong: keeps what it has read · fails 5
class PackedStrings(Right):
    def __init__(self, strings):
        super().__init__(strings)
        self.seen = {}

    def at(self, i):
        if i not in self.seen:
            self.seen[i] = super().at(i)
        return self.seen[i]

# %% wrong: lengths added up · fails 5, 6
class PackedStrings(Right):
    """Adds up the lengths at each access."""

    def __init__(self, strings):
        super().__init__(strings)
        self.lengths, self.starts = np.diff(self.starts), None

    def __len__(self):
        return len(self.lengths)

    def at(self, i):
        start = int(self.lengths[:i].sum())
        return self.decode(self.text[start : start + int(self.lengths[i])])

# %% wrong: no indexerror · fails 2
class PackedStrings(Right):
    def __getitem__(self, index):
        return super().__getitem__(index) if isinstance(index, slice) else self.at(index % len(self))

# %% wrong: no negative indices · fails 2
class PackedStrings(Right):
    def __getitem__(self, index):
        if isinstance(index, int | np.integer) and index < 0:
            raise IndexError(index)
        return super().__getitem__(index)

# %% wrong: no slices · fails 3
class PackedStrings(Right):
    def __getitem__(self, index):
        if isinstance(index, slice):
            raise TypeError(index)
        return super().__getitem__(index)

# %% wrong: no surrogates · fails 1
class PackedStrings(Right):
    def encode(self, s):
        return s.encode("utf-8")

# %% wrong: offsets in a list · fails 5
class PackedStrings(Right):
    def __init__(self, strings):
        super().__init__(strings)
        self.starts = self.starts.tolist()

# %% wrong: python s integers only · fails 2
class PackedStrings(Right):
    def __getitem__(self, index):
        if not isinstance(index, int | slice):
            raise TypeError(index)
        return super().__getitem__(index)

# %% wrong: slices are packed · fails 3
class PackedStrings(Right):
    def __getitem__(self, index):
        found = super().__getitem__(index)
        return type(self)(found) if isinstance(index, slice) else found

# %% wrong: slices without steps · fails 3
class PackedStrings(Right):
    def __getitem__(self, index):
        if isinstance(index, slice):
            start, stop, _step = index.indices(len(self))
            return [self.at(i) for i in range(start, stop)]
        return super().__getitem__(index)

# %% wrong: split at each access · fails 0, 5, 6
class PackedStrings(Right):
    """Split at each access."""

    def __init__(self, strings):
        self.text, self.count = b"\0".join(self.encode(s) for s in strings), len(strings)

    def __len__(self):
        return self.count

    def at(self, i):
        return self.decode(self.text.split(b"\0")[i])

# %% wrong: surrogateescape · fails 1
class PackedStrings(Right):
    """What file names are made with: reads only surrogates of one half."""

    def encode(self, s):
        return s.encode("utf-8", "surrogateescape")

    def decode(self, b):
        return b.decode("utf-8", "surrogateescape")

# %% wrong: surrogates replaced · fails 1
class PackedStrings(Right):
    def encode(self, s):
        return s.encode("utf-8", "replace")
