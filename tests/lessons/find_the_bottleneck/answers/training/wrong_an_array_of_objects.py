# fails: 6
import numpy as np

from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    def make_index(self):
        self.index = np.array([f"{i:06d}" for i in range(self.photos)], dtype=object)


class Training(GoodTraining):
    dataset_class = Photos
    pass
