# %% right: datetime and the loaders sampler
from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    pass


class Training(GoodTraining):
    dataset_class = Photos
    pass

    def begin(self, epoch):
        pass

    def epoch(self, epoch):
        from datetime import datetime

        self.loader.sampler.set_epoch(epoch)
        began, counts = datetime.now(), []
        for batch in self.loader:
            images, labels = self.prepare(batch)
            self.step(images, labels)
            counts.append(len(images))
        return sum(counts) / (datetime.now() - began).total_seconds()

# %% right: default timer
from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    pass


class Training(GoodTraining):
    dataset_class = Photos
    pass

    def epoch(self, epoch):
        from timeit import default_timer

        samples, started = 0, default_timer()
        self.begin(epoch)
        for images, labels in map(self.prepare, self.loader):
            self.step(images, labels)
            samples += labels.numel()
        return samples / (default_timer() - started)

# %% right: in parts
from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    pass


class Training(GoodTraining):
    dataset_class = Photos
    pass

# %% right: set epoch within epoch
from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    pass


class Training(GoodTraining):
    dataset_class = Photos

    def begin(self, epoch):
        pass

    def epoch(self, epoch):
        self.sampler.set_epoch(epoch)
        return super().epoch(epoch)

# %% right: time ns
from time import monotonic_ns
from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    pass


class Training(GoodTraining):
    dataset_class = Photos
    pass

    def epoch(self, epoch):
        seen = {"samples": 0}
        original = self.step

        def step(images, labels):
            original(images, labels)
            seen["samples"] += labels.shape[0]

        start = monotonic_ns()
        self.begin(epoch)
        for batch in iter(self.loader):
            step(*self.prepare(batch))
        return 1e9 * seen["samples"] / (monotonic_ns() - start)

# %% wrong: a dictionary of many · fails 2
import torch

from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    pass


class Training(GoodTraining):
    dataset_class = Photos

    @staticmethod
    def collate(samples):
        images, labels = zip(*samples)
        return torch.stack(images), list(labels)

    def prepare(self, batch):
        return batch[0].float() / 255, torch.stack(batch[1])

# %% wrong: a list in the module · fails 6
from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)
NAMES = [f"{i:04d}" for i in range(600)]


class Photos(GoodPhotos):
    pass


class Training(GoodTraining):
    dataset_class = Photos
    pass

# %% wrong: a list made in the worker · fails 6
from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    names = None

    def read(self, i):
        if self.names is None:
            self.names = [str(k) for k in range(self.photos)]
        return super().read(i)


class Training(GoodTraining):
    dataset_class = Photos
    pass

# %% wrong: a list on the class · fails 6
from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    names = [f"{i:04d}" for i in range(600)]


class Training(GoodTraining):
    dataset_class = Photos
    pass

# %% wrong: always the same · fails 7
from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    def draw(self):
        return 3, 4, 1


class Training(GoodTraining):
    dataset_class = Photos
    pass

# %% wrong: an array of objects · fails 6
import numpy as np

from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    def make_index(self):
        self.index = np.array([f"{i:06d}" for i in range(self.photos)], dtype=object)


class Training(GoodTraining):
    dataset_class = Photos
    pass

# %% wrong: an epoch that the workers do not see · fails 7
import numpy as np

from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    epoch = 0

    def __getitem__(self, i):
        self.asked = i
        return super().__getitem__(i)

    def draw(self):
        return np.random.default_rng([0, self.epoch, self.asked]).integers([9, 9, 2])


class Training(GoodTraining):
    dataset_class = Photos

    def begin(self, epoch):
        self.sampler.set_epoch(epoch)
        self.dataset.epoch = epoch

# %% wrong: as it was found · fails 0, 1, 2, 3, 4, 5, 6, 7, 8
from loaderlab.lessons.find_the_bottleneck import found


class Photos(found.Photos):
    pass


class Training(found.Training):
    dataset_class = Photos

# %% wrong: batches times 32 · fails 0
import time

from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    pass


class Training(GoodTraining):
    dataset_class = Photos
    pass

    def epoch(self, epoch):
        batches, started = 0, time.perf_counter()
        self.begin(epoch)
        for batch in self.loader:
            self.step(*self.prepare(batch))
            batches += 1
        return batches * 32 / (time.perf_counter() - started)

# %% wrong: clock put back · fails 0
from loaderlab.lessons.find_the_bottleneck import repaired

Photos, Training = repaired.without("clock")

# %% wrong: crops too small · fails 7
import torch

from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    def draw(self):
        return [int(torch.randint(8, ())), int(torch.randint(8, ())), int(torch.randint(2, ()))]


class Training(GoodTraining):
    dataset_class = Photos

# %% wrong: does not run · fails 0, 1, 2, 3, 4, 5, 6, 7, 8
raise ValueError("no")

# %% wrong: epoch put back · fails 8
from loaderlab.lessons.find_the_bottleneck import repaired

Photos, Training = repaired.without("epoch")

# %% wrong: floats put back · fails 5
from loaderlab.lessons.find_the_bottleneck import repaired

Photos, Training = repaired.without("floats")

# %% wrong: floats up to 255 · fails 5
from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    pass


class Training(GoodTraining):
    dataset_class = Photos

    def prepare(self, batch):
        return batch[0].float(), batch[1]

# %% wrong: from the number of the photo · fails 7
import numpy as np

from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    def __getitem__(self, i):
        self.asked = i
        return super().__getitem__(i)

    def draw(self):
        return np.random.default_rng([0, self.asked]).integers([9, 9, 2])


class Training(GoodTraining):
    dataset_class = Photos
    pass

# %% wrong: generator put back · fails 7
from loaderlab.lessons.find_the_bottleneck import repaired

Photos, Training = repaired.without("generator")

# %% wrong: index put back · fails 6
from loaderlab.lessons.find_the_bottleneck import repaired

Photos, Training = repaired.without("index")

# %% wrong: length of the loader · fails 0
import time

from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    pass


class Training(GoodTraining):
    dataset_class = Photos

    def epoch(self, epoch):
        self.begin(epoch)
        samples, started = 0, time.perf_counter()
        for batch in self.loader:
            pass
            images, labels = self.prepare(batch)
            self.step(images, labels)
            samples += 0
        return len(self.loader) * 32 / (1) * (time.perf_counter() - started)

# %% wrong: lifetime put back · fails 3
from loaderlab.lessons.find_the_bottleneck import repaired

Photos, Training = repaired.without("lifetime")

# %% wrong: mirrored only · fails 7
import torch

from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    def draw(self):
        return 4, 4, int(torch.randint(2, ()))


class Training(GoodTraining):
    dataset_class = Photos
    pass

# %% wrong: never mirrored · fails 7
import torch

from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    def draw(self):
        return [int(torch.randint(9, ())), int(torch.randint(9, ())), 0]


class Training(GoodTraining):
    dataset_class = Photos

# %% wrong: no workers · fails 1, 3
from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    pass


class Training(GoodTraining):
    dataset_class = Photos

    def workers(self):
        return {}

    def lifetime(self):
        return {}

# %% wrong: one file for each photo · fails 4
import numpy as np

from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    def read(self, i):
        name = f"{i % self.files:04d}"
        if not hasattr(self, "labels"):
            self.labels = np.load(self.folder / "labels.npy")
        return (self.folder / (name + ".jpg")).read_bytes(), int(self.labels[i % self.files])


class Training(GoodTraining):
    dataset_class = Photos
    pass

# %% wrong: one seed in each worker · fails 7
import torch

from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    pass


class Training(GoodTraining):
    dataset_class = Photos

    @staticmethod
    def start_worker(number):
        torch.manual_seed(42)

    def workers(self):
        return super().workers() | {"worker_init_fn": self.start_worker}

# %% wrong: only photos · fails 0, 1, 2, 3, 5, 8
from loaderlab.lessons.find_the_bottleneck import found, repaired


class Photos(repaired.only("opens", "floats", "index", "generator")[0]):
    pass


class Training(found.Training):
    dataset_class = Photos

    raise NotImplementedError

# %% wrong: opens again for each photo · fails 4
from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    def read(self, i):
        self.offsets = None
        return super().read(i)


class Training(GoodTraining):
    dataset_class = Photos
    pass

# %% wrong: opens put back · fails 4
from loaderlab.lessons.find_the_bottleneck import repaired

Photos, Training = repaired.without("opens")

# %% wrong: returns nothing · fails 0
import time

from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    pass


class Training(GoodTraining):
    dataset_class = Photos

    def epoch(self, epoch):
        self.begin(epoch)
        samples, started = 0, time.perf_counter()
        for batch in self.loader:
            pass
            images, labels = self.prepare(batch)
            self.step(images, labels)
            samples += len(labels)
        said = samples / (time.perf_counter() - started)

# %% wrong: shuffle instead of the sampler · fails 8
import torch

from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    pass


class Training(GoodTraining):
    dataset_class = Photos

    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self.loader = torch.utils.data.DataLoader(
            self.dataset, 32, shuffle=True, collate_fn=self.collate, **self.options()
        )

    def begin(self, epoch):
        pass

# %% wrong: starts with the second batch · fails 0
import time

from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    pass


class Training(GoodTraining):
    dataset_class = Photos

    def epoch(self, epoch):
        self.begin(epoch)
        samples, started = 0, None
        for batch in self.loader:
            started = time.perf_counter() if started is None else started
            images, labels = self.prepare(batch)
            self.step(images, labels)
            samples += len(labels)
        return samples / (time.perf_counter() - started)

# %% wrong: tensors put back · fails 2
from loaderlab.lessons.find_the_bottleneck import repaired

Photos, Training = repaired.without("tensors")

# %% wrong: the step gets bytes · fails 5
from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    pass


class Training(GoodTraining):
    dataset_class = Photos

    def prepare(self, batch):
        return batch

# %% wrong: too many workers · fails 1
from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    pass


class Training(GoodTraining):
    dataset_class = Photos

    def workers(self):
        return {"num_workers": 12 * len(__import__("os").sched_getaffinity(0))}

# %% wrong: workers put back · fails 1
from loaderlab.lessons.find_the_bottleneck import repaired

Photos, Training = repaired.without("workers")

# %% wrong: the clock of the processor · fails 0
import time

from loaderlab.lessons.find_the_bottleneck import repaired

Photos, GoodTraining = repaired.after(9)


class Training(GoodTraining):
    def epoch(self, epoch):
        samples, started = 0, time.process_time()
        self.begin(epoch)
        for images, labels in map(self.prepare, self.loader):
            self.step(images, labels)
            samples += labels.numel()
        return samples / (time.process_time() - started)

# %% wrong: drops the smaller last batch · fails 8
from torch.utils.data import BatchSampler, DataLoader

from loaderlab.lessons.find_the_bottleneck import repaired

Photos, GoodTraining = repaired.after(9)


class Training(GoodTraining):
    def __init__(self, folder, rank=0, ranks=64):
        super().__init__(folder, rank, ranks)
        old = self.loader
        batches = BatchSampler(self.sampler, 32, drop_last=True)
        self.loader = DataLoader(
            old.dataset, batch_sampler=batches, num_workers=old.num_workers, collate_fn=old.collate_fn,
            worker_init_fn=old.worker_init_fn, persistent_workers=old.persistent_workers,
        )
