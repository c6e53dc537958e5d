import multiprocessing
import random


class StatelessAugment:
    def __init__(self, images, seed):
        self.images, self.seed = images, seed
        self.epoch = multiprocessing.Value("q", 0)

    def set_epoch(self, epoch):
        self.epoch.value = epoch

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        gain = random.Random(f"{self.seed} {self.epoch.value} {index}").uniform(0.8, 1.2)
        return self.images[index].float() * gain
