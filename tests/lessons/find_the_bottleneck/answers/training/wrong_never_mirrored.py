# fails: 7
import torch

from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    def draw(self):
        return [int(torch.randint(9, ())), int(torch.randint(9, ())), 0]


class Training(GoodTraining):
    dataset_class = Photos
