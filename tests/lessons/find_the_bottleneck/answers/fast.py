# %% right: prefetches more
import training


class Training(training.Training):
    def options(self):
        return super().options() | {"prefetch_factor": 4}

# %% right: repaired
from loaderlab.lessons.find_the_bottleneck import repaired

Photos, Training = repaired.after(9)

# %% right: whole batches
import training


class Photos(training.Photos):
    def __getitems__(self, indices):
        return [self[i] for i in indices]


class Training(training.Training):
    dataset_class = Photos

# %% wrong: as it was found · fails 0, 1
from loaderlab.lessons.find_the_bottleneck import found


class Photos(found.Photos):
    pass


class Training(found.Training):
    dataset_class = Photos

# %% wrong: does not run · fails 0, 1
raise ValueError("no")

# %% wrong: drops half of the batches · fails 1
from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    pass


class Training(GoodTraining):
    dataset_class = Photos

    def epoch(self, epoch):
        if epoch:
            self.loader = __import__("itertools").islice(self.loader, 3)
        return super().epoch(epoch)

# %% wrong: drops the last batch · fails 0, 1
from torch.utils.data import DataLoader

from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Training(GoodTraining):
    def __init__(self, *words, **named):
        super().__init__(*words, **named)
        self.loader = DataLoader(
            self.dataset, 32, sampler=self.sampler, collate_fn=self.collate, drop_last=True, **self.options()
        )

# %% wrong: fewer photos from the start · fails 0, 1
from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    pass


class Training(GoodTraining):
    dataset_class = Photos

    def __init__(self, folder, rank=0, ranks=64):
        super().__init__(folder, rank, 2 * ranks)

# %% wrong: new batches and slow · fails 1
from loaderlab.lessons.find_the_bottleneck import repaired

Photos, Training = repaired.only("generator", "epoch")

# %% wrong: the first epoch again · fails 0, 1
import training


class Training(training.Training):
    kept = None

    def epoch(self, epoch):
        if self.kept is None:
            self.kept = list(self.loader)
        loader, self.loader = self.loader, self.kept
        try:
            return super().epoch(epoch)
        finally:
            self.loader = loader

# %% wrong: the photos of the first rank in all ranks · fails 0, 1
import training


class Training(training.Training):
    def __init__(self, folder, rank=0, ranks=64):
        super().__init__(folder, 0, ranks)
