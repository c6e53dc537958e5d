import itertools


class Plan:
    def __init__(self, profile, repairs):
        self.profile, self.repairs = profile, repairs

    def rate(self, names):
        merged = {}
        for name in names:
            merged.update(self.repairs[name])
        return replace(self.profile, **merged).rate

    def fewest(self, target):
        count = 0
        while count <= len(self.repairs):
            for names in itertools.combinations(self.repairs, count):
                if not self.rate(names) < target:
                    return [*names]
            count += 1


def which_repairs(profile, repairs, target):
    return Plan(profile, repairs).fewest(target)
