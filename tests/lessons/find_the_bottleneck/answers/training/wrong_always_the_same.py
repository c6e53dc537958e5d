# fails: 7
from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    def draw(self):
        return 3, 4, 1


class Training(GoodTraining):
    dataset_class = Photos
    pass
