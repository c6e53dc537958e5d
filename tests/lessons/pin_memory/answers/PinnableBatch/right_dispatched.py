from functools import singledispatch


@singledispatch
def pin(value):
    return value


@pin.register
def _(value: torch.Tensor):
    return value.pin_memory()


@pin.register
def _(value: dict):
    return dict(zip(value, map(pin, value.values())))


@pin.register(list)
@pin.register(tuple)
def _(value):
    return type(value)(map(pin, value))


class PinnableBatch:
    def __init__(self, fields):
        self.fields = fields

    def pin_memory(self):
        return PinnableBatch(pin(self.fields))
