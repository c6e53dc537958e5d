# fails: 0, 1, 2, 3, 4, 5
class PackedFields(ByDtype):
    @staticmethod
    def pack(batch):
        raise NotImplementedError
