# fails: 0


StatelessAugment = type(
    "Wrong", (Augment,), {"__getitem__": lambda self, i: self.images[i] + self.gain(i) - 1}
)
