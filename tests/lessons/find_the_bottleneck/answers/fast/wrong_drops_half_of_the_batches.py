# fails: 1
from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    pass


class Training(GoodTraining):
    dataset_class = Photos

    def epoch(self, epoch):
        if epoch:
            self.loader = __import__("itertools").islice(self.loader, 3)
        return super().epoch(epoch)
