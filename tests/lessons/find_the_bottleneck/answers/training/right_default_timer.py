from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    pass


class Training(GoodTraining):
    dataset_class = Photos
    pass

    def epoch(self, epoch):
        from timeit import default_timer

        samples, started = 0, default_timer()
        self.begin(epoch)
        for images, labels in map(self.prepare, self.loader):
            self.step(images, labels)
            samples += labels.numel()
        return samples / (default_timer() - started)
