# fails: 0, 1, 2, 3, 4, 5, 6, 7, 8
from loaderlab.lessons.find_the_bottleneck import found


class Photos(found.Photos):
    pass


class Training(found.Training):
    dataset_class = Photos
