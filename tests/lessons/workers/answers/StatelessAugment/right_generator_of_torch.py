class StatelessAugment(torch.utils.data.Dataset):
    def __init__(self, images, seed):
        self.images, self.seed = images, seed
        self.epoch = torch.zeros(1, dtype=torch.int64).share_memory_()

    def set_epoch(self, epoch):
        self.epoch[0] = epoch

    def __len__(self):
        return self.images.shape[0]

    def __getitem__(self, index):
        mixed = (self.seed * 1_000_003 + self.epoch.item()) * 1_000_003 + index
        draw = torch.rand((), generator=torch.Generator().manual_seed(mixed))
        return self.images[index] * (0.8 + 0.4 * draw)
