# fails: 0, 1
import training


class Training(training.Training):
    kept = None

    def epoch(self, epoch):
        if self.kept is None:
            self.kept = list(self.loader)
        loader, self.loader = self.loader, self.kept
        try:
            return super().epoch(epoch)
        finally:
            self.loader = loader
