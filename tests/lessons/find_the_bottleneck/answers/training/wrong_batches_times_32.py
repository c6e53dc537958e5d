# fails: 0
import time

from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    pass


class Training(GoodTraining):
    dataset_class = Photos
    pass

    def epoch(self, epoch):
        batches, started = 0, time.perf_counter()
        self.begin(epoch)
        for batch in self.loader:
            self.step(*self.prepare(batch))
            batches += 1
        return batches * 32 / (time.perf_counter() - started)
