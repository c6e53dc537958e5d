# fails: 0
def multiplied(self, index):
    return self.images[index].mul_(self.gain(index))


StatelessAugment = type("Wrong", (Augment,), {"__getitem__": multiplied})
