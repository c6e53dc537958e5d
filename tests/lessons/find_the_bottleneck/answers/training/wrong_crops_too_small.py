# fails: 7
import torch

from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    def draw(self):
        return [int(torch.randint(8, ())), int(torch.randint(8, ())), int(torch.randint(2, ()))]


class Training(GoodTraining):
    dataset_class = Photos
