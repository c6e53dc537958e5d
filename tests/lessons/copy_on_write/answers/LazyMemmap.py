# %% given
# A right class; the wrong ones deviate in one of its methods.
import numpy as np
import torch
from torch.utils.data import Dataset


class Good(Dataset):
    mode = "r"

    def __init__(self, path):
        self.path, self.rows, self.length = path, None, len(np.load(path, mmap_mode="r"))

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        self.rows = np.load(self.path, mmap_mode=self.mode) if self.rows is None else self.rows
        return self.item(self.rows[index])

    def item(self, row):
        return torch.tensor(row)

    def __getstate__(self):
        return self.__dict__ | {"rows": None}

# %% right: cached property
from functools import cached_property


class LazyMemmap:
    def __init__(self, path):
        self.path = path

    @cached_property
    def rows(self):
        return np.load(self.path, mmap_mode="r")

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return torch.as_tensor(self.rows[index].copy())

    def __getstate__(self):
        return {"path": self.path}

# %% right: np memmap
from numpy.lib import format


class LazyMemmap(torch.utils.data.Dataset):
    array = None

    def __init__(self, path):
        with open(path, "rb") as file:
            format.read_magic(file)
            self.shape, _fortran, self.dtype = format.read_array_header_1_0(file)
            self.offset = file.tell()
        self.path = str(path)

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, index):
        if self.array is None:
            self.array = np.memmap(self.path, self.dtype, "r", self.offset, self.shape)
        return torch.from_numpy(np.array(self.array[index]))

    def __getstate__(self):
        return {name: value for name, value in self.__dict__.items() if name != "array"}

# %% right: reduced
class LazyMemmap(Dataset):
    def __init__(self, path, length=None):
        self.path, self._rows = path, None
        self.length = np.load(path, mmap_mode="r").shape[0] if length is None else length

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        self._rows = np.load(self.path, mmap_mode="r") if self._rows is None else self._rows
        return torch.from_numpy(self._rows[index].copy())

    def __reduce__(self):
        return type(self), (self.path, self.length)

# %% right: usual
LazyMemmap = Good

# %% wrong: a view · fails 4
class LazyMemmap(Good):
    mode = "c"

    def item(self, row):
        return torch.from_numpy(row)

# %% wrong: an array · fails 0, 4
class LazyMemmap(Good):
    def item(self, row):
        return row.copy()

# %% wrong: crashes when written to · fails 4
class LazyMemmap(Good):
    def item(self, row):
        return torch.from_numpy(row)

# %% wrong: dtype of torchs choice · fails 0
class LazyMemmap(Good):
    def item(self, row):
        return torch.tensor(row, dtype=torch.float32)

# %% wrong: getstate open · fails 1, 2, 3
class LazyMemmap(Good):
    def __getstate__(self):
        raise NotImplementedError

# %% wrong: kept pickled whole · fails 1, 3
class LazyMemmap(Good):
    def __init__(self, path):
        super().__init__(path)
        self.rows = np.load(path, mmap_mode="r")

    def __getstate__(self):
        return self.__dict__

# %% wrong: light until it is read · fails 1
class LazyMemmap(Good):
    def __getstate__(self):
        return self.__dict__

# %% wrong: opened for each item · fails 3
class LazyMemmap(Good):
    def __getitem__(self, index):
        return self.item(np.load(self.path, mmap_mode="r")[index])

# %% wrong: read whole · fails 3
class LazyMemmap(Good):
    mode = None

# %% wrong: read whole for its length · fails 3
class LazyMemmap(Good):
    def __init__(self, path):
        super().__init__(path)
        self.length = len(np.load(path))

# %% wrong: size for length · fails 0
class LazyMemmap(Good):
    def __init__(self, path):
        super().__init__(path)
        self.length = np.load(path, mmap_mode="r").size

# %% wrong: writes to the file · fails 4
class LazyMemmap(Good):
    mode = "r+"

    def item(self, row):
        return torch.from_numpy(row)
