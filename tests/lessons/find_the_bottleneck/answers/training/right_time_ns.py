from time import monotonic_ns
from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    pass


class Training(GoodTraining):
    dataset_class = Photos
    pass

    def epoch(self, epoch):
        seen = {"samples": 0}
        original = self.step

        def step(images, labels):
            original(images, labels)
            seen["samples"] += labels.shape[0]

        start = monotonic_ns()
        self.begin(epoch)
        for batch in iter(self.loader):
            step(*self.prepare(batch))
        return 1e9 * seen["samples"] / (monotonic_ns() - start)
