# fails: 1
class StatelessAugment(Augment):
    epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch
