# fails: 8
import torch

from loaderlab.lessons.find_the_bottleneck import repaired

GoodPhotos, GoodTraining = repaired.after(9)


class Photos(GoodPhotos):
    pass


class Training(GoodTraining):
    dataset_class = Photos

    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self.loader = torch.utils.data.DataLoader(
            self.dataset, 32, shuffle=True, collate_fn=self.collate, **self.options()
        )

    def begin(self, epoch):
        pass
