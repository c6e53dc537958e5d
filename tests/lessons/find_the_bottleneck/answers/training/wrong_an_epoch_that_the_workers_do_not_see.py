# fails: 7
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
