# fails: 2
import torch

from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    pass


class Training(GoodTraining):
    dataset_class = Photos

    @staticmethod
    def collate(samples):
        images, labels = zip(*samples)
        return torch.stack(images), list(labels)

    def prepare(self, batch):
        return batch[0].float() / 255, torch.stack(batch[1])
