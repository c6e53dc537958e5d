import torch


class PackedStrings(Right):
    def __init__(self, strings):
        super().__init__(strings)
        self.bytes = torch.frombuffer(bytearray(self.text or b"\0"), dtype=torch.uint8)
        self.text, self.starts = None, torch.from_numpy(self.starts)

    def at(self, i):
        return self.decode(self.bytes[self.starts[i] : self.starts[i + 1]].numpy().tobytes())
