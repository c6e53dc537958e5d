# fails: 6
from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    names = [f"{i:04d}" for i in range(600)]


class Training(GoodTraining):
    dataset_class = Photos
    pass
