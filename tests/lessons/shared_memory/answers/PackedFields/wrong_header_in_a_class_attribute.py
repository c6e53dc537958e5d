# fails: 2, 3, 4
class PackedFields(ByDtype):
    header = None

    @staticmethod
    def pack(batch):
        joined, PackedFields.header = ByDtype.pack(batch)
        return joined

    @staticmethod
    def unpack(packed):
        return ByDtype.unpack((packed, PackedFields.header))
