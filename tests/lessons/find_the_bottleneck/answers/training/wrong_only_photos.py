# fails: 0, 1, 2, 3, 5, 8
from loaderlab.lessons.find_the_bottleneck import found, repaired


class Photos(repaired.only("opens", "floats", "index", "generator")[0]):
    pass


class Training(found.Training):
    dataset_class = Photos

    raise NotImplementedError
