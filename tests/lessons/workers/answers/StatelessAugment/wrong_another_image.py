# fails: 0


StatelessAugment = type("Wrong", (Augment,), {"__getitem__": lambda self, i: self.images[0] * self.gain(i)})
