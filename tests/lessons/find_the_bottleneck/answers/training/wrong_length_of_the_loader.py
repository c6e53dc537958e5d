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
        samples, started = 0, time.perf_counter()
        for batch in self.loader:
            pass
            images, labels = self.prepare(batch)
            self.step(images, labels)
            samples += 0
        return len(self.loader) * 32 / (1) * (time.perf_counter() - started)
