# %% right: cached property
from functools import cached_property

import numpy as np
import torch


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
import numpy as np
import torch
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
import numpy as np
import torch
from torch.utils.data import Dataset


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
import numpy as np
import torch
from torch.utils.data import Dataset


class LazyMemmap(Dataset):
    def __init__(self, path):
        self.path, self.rows, self.length = path, None, len(np.load(path, mmap_mode="r"))

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        self.rows = np.load(self.path, mmap_mode="r") if self.rows is None else self.rows
        return torch.tensor(self.rows[index])

    def __getstate__(self):
        return self.__dict__ | {"rows": None}

# %% wrong: a view · fails 4
import numpy as np
import torch
from torch.utils.data import Dataset


class LazyMemmap(Dataset):
    def __init__(self, path):
        self.path, self.rows, self.length = path, None, len(np.load(path, mmap_mode="r"))

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        self.rows = np.load(self.path, mmap_mode="c") if self.rows is None else self.rows
        return torch.from_numpy(self.rows[index])

    def __getstate__(self):
        return self.__dict__ | {"rows": None}

# %% wrong: an array · fails 0, 4
import numpy as np
from torch.utils.data import Dataset


class LazyMemmap(Dataset):
    def __init__(self, path):
        self.path, self.rows, self.length = path, None, len(np.load(path, mmap_mode="r"))

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        self.rows = np.load(self.path, mmap_mode="r") if self.rows is None else self.rows
        return self.rows[index].copy()

    def __getstate__(self):
        return self.__dict__ | {"rows": None}

# %% wrong: as float64 · fails 0
import numpy as np
import torch
from torch.utils.data import Dataset


class LazyMemmap(Dataset):
    def __init__(self, path):
        self.path, self.rows, self.length = path, None, len(np.load(path, mmap_mode="r"))

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        self.rows = np.load(self.path, mmap_mode="r") if self.rows is None else self.rows
        return torch.tensor(self.rows[index].tolist(), dtype=torch.float64)

    def __getstate__(self):
        return self.__dict__ | {"rows": None}

# %% wrong: crashes when written to · fails 4
import numpy as np
import torch
from torch.utils.data import Dataset


class LazyMemmap(Dataset):
    def __init__(self, path):
        self.path, self.rows, self.length = path, None, len(np.load(path, mmap_mode="r"))

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        self.rows = np.load(self.path, mmap_mode="r") if self.rows is None else self.rows
        return torch.from_numpy(self.rows[index])

    def __getstate__(self):
        return self.__dict__ | {"rows": None}

# %% wrong: dtype of torchs choice · fails 0
import numpy as np
import torch
from torch.utils.data import Dataset


class LazyMemmap(Dataset):
    def __init__(self, path):
        self.path, self.rows, self.length = path, None, len(np.load(path, mmap_mode="r"))

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        self.rows = np.load(self.path, mmap_mode="r") if self.rows is None else self.rows
        return torch.tensor(self.rows[index], dtype=torch.float32)

    def __getstate__(self):
        return self.__dict__ | {"rows": None}

# %% wrong: getstate open · fails 1, 2, 3
import numpy as np
import torch
from torch.utils.data import Dataset


class LazyMemmap(Dataset):
    def __init__(self, path):
        self.path, self.rows, self.length = path, None, len(np.load(path, mmap_mode="r"))

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        self.rows = np.load(self.path, mmap_mode="r") if self.rows is None else self.rows
        return torch.tensor(self.rows[index])

    def __getstate__(self):
        raise NotImplementedError

# %% wrong: kept pickled whole · fails 1, 3
import numpy as np
import torch
from torch.utils.data import Dataset


class LazyMemmap(Dataset):
    def __init__(self, path):
        self.rows = np.load(path, mmap_mode="r")
        self.length = len(self.rows)

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        pass
        return torch.tensor(self.rows[index])

    def __getstate__(self):
        return self.__dict__

# %% wrong: light until it is read · fails 1
import numpy as np
import torch
from torch.utils.data import Dataset


class LazyMemmap(Dataset):
    def __init__(self, path):
        self.path, self.rows, self.length = path, None, len(np.load(path, mmap_mode="r"))

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        self.rows = np.load(self.path, mmap_mode="r") if self.rows is None else self.rows
        return torch.tensor(self.rows[index])

    def __getstate__(self):
        return self.__dict__

# %% wrong: opened for each item · fails 3
import numpy as np
import torch
from torch.utils.data import Dataset


class LazyMemmap(Dataset):
    def __init__(self, path):
        self.path, self.rows, self.length = path, None, len(np.load(path, mmap_mode="r"))

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        rows = np.load(self.path, mmap_mode="r")
        return torch.tensor(rows[index])

    def __getstate__(self):
        return self.__dict__ | {"rows": None}

# %% wrong: read whole · fails 3
import numpy as np
import torch
from torch.utils.data import Dataset


class LazyMemmap(Dataset):
    def __init__(self, path):
        self.path, self.rows, self.length = path, None, len(np.load(path, mmap_mode="r"))

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        self.rows = np.load(self.path) if self.rows is None else self.rows
        return torch.tensor(self.rows[index])

    def __getstate__(self):
        return self.__dict__ | {"rows": None}

# %% wrong: read whole for its length · fails 3
import numpy as np
import torch
from torch.utils.data import Dataset


class LazyMemmap(Dataset):
    def __init__(self, path):
        self.path, self.rows, self.length = path, None, len(np.load(path))

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        self.rows = np.load(self.path, mmap_mode="r") if self.rows is None else self.rows
        return torch.tensor(self.rows[index])

    def __getstate__(self):
        return self.__dict__ | {"rows": None}

# %% wrong: reads all for len · fails 3
import numpy as np
import torch
from torch.utils.data import Dataset


class LazyMemmap(Dataset):
    def __init__(self, path):
        self.path, self.rows, self.length = path, None, len(np.load(path, mmap_mode="r"))

    def __len__(self):
        return len(np.load(self.path))

    def __getitem__(self, index):
        self.rows = np.load(self.path, mmap_mode="r") if self.rows is None else self.rows
        return torch.tensor(self.rows[index])

    def __getstate__(self):
        return self.__dict__ | {"rows": None}

# %% wrong: size for length · fails 0
import numpy as np
import torch
from torch.utils.data import Dataset


class LazyMemmap(Dataset):
    def __init__(self, path):
        self.path, self.rows = path, None
        self.length = np.load(path, mmap_mode="r").size

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        if self.rows is None:
            self.rows = np.load(self.path, mmap_mode="r")
        return torch.tensor(self.rows[index])

    def __getstate__(self):
        return self.__dict__ | {"rows": None}

# %% wrong: writes to the file · fails 4
import numpy as np
import torch
from torch.utils.data import Dataset


class LazyMemmap(Dataset):
    def __init__(self, path):
        self.path, self.rows, self.length = path, None, len(np.load(path, mmap_mode="r"))

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        self.rows = np.load(self.path, mmap_mode="r+") if self.rows is None else self.rows
        return torch.from_numpy(self.rows[index])

    def __getstate__(self):
        return self.__dict__ | {"rows": None}
