# fails: 0, 1
from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    pass


class Training(GoodTraining):
    dataset_class = Photos

    def __init__(self, folder, rank=0, ranks=64):
        super().__init__(folder, rank, 2 * ranks)
