# fails: 0
import time

from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    pass


class Training(GoodTraining):
    dataset_class = Photos

    def epoch(self, epoch):
        self.begin(epoch)
        samples, started = 0, None
        for batch in self.loader:
            started = time.perf_counter() if started is None else started
            images, labels = self.prepare(batch)
            self.step(images, labels)
            samples += len(labels)
        return samples / (time.perf_counter() - started)
