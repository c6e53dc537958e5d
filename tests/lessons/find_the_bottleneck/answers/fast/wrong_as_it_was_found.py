# fails: 0, 1
from loaderlab.lessons.find_the_bottleneck import found


class Photos(found.Photos):
    pass


class Training(found.Training):
    dataset_class = Photos
