import training


class Training(training.Training):
    def options(self):
        return super().options() | {"prefetch_factor": 4}
