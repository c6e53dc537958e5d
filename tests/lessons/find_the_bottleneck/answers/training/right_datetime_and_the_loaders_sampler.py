from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    pass


class Training(GoodTraining):
    dataset_class = Photos
    pass

    def begin(self, epoch):
        pass

    def epoch(self, epoch):
        from datetime import datetime

        self.loader.sampler.set_epoch(epoch)
        began, counts = datetime.now(), []
        for batch in self.loader:
            images, labels = self.prepare(batch)
            self.step(images, labels)
            counts.append(len(images))
        return sum(counts) / (datetime.now() - began).total_seconds()
