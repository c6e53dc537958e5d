# %% given
# A right module, repaired in parts; the wrong ones deviate in one method of one of its classes.
import time

import numpy as np
import torch

from loaderlab.lessons.find_the_bottleneck import found, repaired

GoodPhotos, Repaired = repaired.after(9)


class GoodTraining(Repaired):
    @property
    def dataset_class(self):
        return Photos  # which an answer may have defined anew


Photos, Training = GoodPhotos, GoodTraining

# %% right: datetime and the loaders sampler
class Training(GoodTraining):
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
class Training(GoodTraining):
    def epoch(self, epoch):
        from timeit import default_timer

        samples, started = 0, default_timer()
        self.begin(epoch)
        for images, labels in map(self.prepare, self.loader):
            self.step(images, labels)
            samples += labels.numel()
        return samples / (default_timer() - started)

# %% right: in parts
class Photos(GoodPhotos):
    pass


class Training(Repaired):
    dataset_class = Photos

# %% right: set epoch within epoch
class Training(GoodTraining):
    def begin(self, epoch):
        pass

    def epoch(self, epoch):
        self.sampler.set_epoch(epoch)
        return super().epoch(epoch)

# %% right: time ns
class Training(GoodTraining):
    def epoch(self, epoch):
        seen = {"samples": 0}
        original = self.step

        def step(images, labels):
            original(images, labels)
            seen["samples"] += labels.shape[0]

        start = time.monotonic_ns()
        self.begin(epoch)
        for batch in iter(self.loader):
            step(*self.prepare(batch))
        return 1e9 * seen["samples"] / (time.monotonic_ns() - start)

# %% wrong: a dictionary of many · fails 2
class Training(GoodTraining):
    @staticmethod
    def collate(samples):
        images, labels = zip(*samples)
        return torch.stack(images), list(labels)

    def prepare(self, batch):
        return batch[0].float() / 255, torch.stack(batch[1])

# %% wrong: a list in the module · fails 6
NAMES = [f"{i:04d}" for i in range(600)]

# %% wrong: a list made in the worker · fails 6
class Photos(GoodPhotos):
    names = None

    def read(self, i):
        if self.names is None:
            self.names = [str(k) for k in range(self.photos)]
        return super().read(i)

# %% wrong: a list on the class · fails 6
class Photos(GoodPhotos):
    names = [f"{i:04d}" for i in range(600)]

# %% wrong: always the same · fails 7
class Photos(GoodPhotos):
    def draw(self):
        return 3, 4, 1

# %% wrong: an array of objects · fails 6
class Photos(GoodPhotos):
    def make_index(self):
        self.index = np.array([f"{i:06d}" for i in range(self.photos)], dtype=object)

# %% wrong: an epoch that the workers do not see · fails 7
class Photos(GoodPhotos):
    epoch = 0

    def __getitem__(self, i):
        self.asked = i
        return super().__getitem__(i)

    def draw(self):
        return np.random.default_rng([0, self.epoch, self.asked]).integers([9, 9, 2])


class Training(GoodTraining):
    def begin(self, epoch):
        super().begin(epoch)
        self.dataset.epoch = epoch

# %% wrong: as it was found · fails 0, 1, 2, 3, 4, 5, 6, 7, 8
Photos, Training = found.Photos, found.Training

# %% wrong: batches times 32 · fails 0
class Training(GoodTraining):
    def epoch(self, epoch):
        batches, started = 0, time.perf_counter()
        self.begin(epoch)
        for batch in self.loader:
            self.step(*self.prepare(batch))
            batches += 1
        return batches * 32 / (time.perf_counter() - started)

# %% wrong: clock put back · fails 0
Photos, Training = repaired.without("clock")

# %% wrong: crops too small · fails 7
class Photos(GoodPhotos):
    def draw(self):
        return [int(torch.randint(8, ())), int(torch.randint(8, ())), int(torch.randint(2, ()))]

# %% wrong: does not run · fails 0, 1, 2, 3, 4, 5, 6, 7, 8
raise ValueError("no")

# %% wrong: epoch put back · fails 8
Photos, Training = repaired.without("epoch")

# %% wrong: floats put back · fails 5
Photos, Training = repaired.without("floats")

# %% wrong: floats up to 255 · fails 5
class Training(GoodTraining):
    def prepare(self, batch):
        return batch[0].float(), batch[1]

# %% wrong: from the number of the photo · fails 7
class Photos(GoodPhotos):
    def __getitem__(self, i):
        self.asked = i
        return super().__getitem__(i)

    def draw(self):
        return np.random.default_rng([0, self.asked]).integers([9, 9, 2])

# %% wrong: generator put back · fails 7
Photos, Training = repaired.without("generator")

# %% wrong: index put back · fails 6
Photos, Training = repaired.without("index")

# %% wrong: lifetime put back · fails 3
Photos, Training = repaired.without("lifetime")

# %% wrong: mirrored only · fails 7
class Photos(GoodPhotos):
    def draw(self):
        return 4, 4, int(torch.randint(2, ()))

# %% wrong: never mirrored · fails 7
class Photos(GoodPhotos):
    def draw(self):
        return [int(torch.randint(9, ())), int(torch.randint(9, ())), 0]

# %% wrong: no workers · fails 1, 3
class Training(GoodTraining):
    def workers(self):
        return {}

    def lifetime(self):
        return {}

# %% wrong: one file for each photo · fails 4
class Photos(GoodPhotos):
    def read(self, i):
        name = f"{i % self.files:04d}"
        if not hasattr(self, "labels"):
            self.labels = np.load(self.folder / "labels.npy")
        return (self.folder / (name + ".jpg")).read_bytes(), int(self.labels[i % self.files])

# %% wrong: one seed in each worker · fails 7
class Training(GoodTraining):
    @staticmethod
    def start_worker(number):
        torch.manual_seed(42)

    def workers(self):
        return super().workers() | {"worker_init_fn": self.start_worker}

# %% wrong: only photos · fails 0, 1, 2, 3, 5, 8
class Photos(repaired.only("opens", "floats", "index", "generator")[0]):
    pass


class Training(found.Training):
    dataset_class = Photos

    raise NotImplementedError

# %% wrong: opens again for each photo · fails 4
class Photos(GoodPhotos):
    def read(self, i):
        self.offsets = None
        return super().read(i)

# %% wrong: opens put back · fails 4
Photos, Training = repaired.without("opens")

# %% wrong: returns nothing · fails 0
class Training(GoodTraining):
    def epoch(self, epoch):
        super().epoch(epoch)

# %% wrong: shuffle instead of the sampler · fails 8
class Training(GoodTraining):
    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self.loader = torch.utils.data.DataLoader(
            self.dataset, 32, shuffle=True, collate_fn=self.collate, **self.options()
        )

    def begin(self, epoch):
        pass

# %% wrong: starts with the second batch · fails 0
class Training(GoodTraining):
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
Photos, Training = repaired.without("tensors")

# %% wrong: the step gets bytes · fails 5
class Training(GoodTraining):
    def prepare(self, batch):
        return batch

# %% wrong: too many workers · fails 1
class Training(GoodTraining):
    def workers(self):
        return {"num_workers": 12 * len(__import__("os").sched_getaffinity(0))}

# %% wrong: workers put back · fails 1
Photos, Training = repaired.without("workers")

# %% wrong: the clock of the processor · fails 0
class Training(GoodTraining):
    def epoch(self, epoch):
        samples, started = 0, time.process_time()
        self.begin(epoch)
        for images, labels in map(self.prepare, self.loader):
            self.step(images, labels)
            samples += labels.numel()
        return samples / (time.process_time() - started)

# %% wrong: drops the smaller last batch · fails 8
class Training(GoodTraining):
    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        batches = torch.utils.data.BatchSampler(self.sampler, 32, drop_last=True)
        self.loader = torch.utils.data.DataLoader(
            self.dataset, batch_sampler=batches, collate_fn=self.collate, **self.options()
        )
