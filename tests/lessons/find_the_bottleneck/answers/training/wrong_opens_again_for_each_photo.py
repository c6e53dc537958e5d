# fails: 4
from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    def read(self, i):
        self.offsets = None
        return super().read(i)


class Training(GoodTraining):
    dataset_class = Photos
    pass
