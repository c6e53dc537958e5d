# fails: 6
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
