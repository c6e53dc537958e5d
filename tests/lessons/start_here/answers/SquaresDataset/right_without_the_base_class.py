class SquaresDataset:
    def __init__(self, shelf):
        self.read, self.length = shelf.read, shelf.__len__

    def __len__(self):
        return self.length()

    def __getitem__(self, index):
        (number,) = self.read([index])
        return number * number

    def __getitems__(self, indices):
        return [torch.tensor(number * number) for number in self.read(indices)]
