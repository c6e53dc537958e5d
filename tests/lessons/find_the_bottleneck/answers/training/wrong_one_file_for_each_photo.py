# fails: 4
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
