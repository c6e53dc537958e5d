# fails: 2, 3, 4, 5
class PackedFields(ByDtype):
    @staticmethod
    def unpack(packed):
        raise NotImplementedError
