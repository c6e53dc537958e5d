# fails: 1
from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    pass


class Training(GoodTraining):
    dataset_class = Photos

    def workers(self):
        return {"num_workers": 12 * len(__import__("os").sched_getaffinity(0))}
