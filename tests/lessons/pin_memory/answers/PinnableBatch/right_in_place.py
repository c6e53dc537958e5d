class PinnableBatch:
    def __init__(self, fields):
        self.fields = fields

    def pin_memory(self):
        def walk(value):
            if torch.is_tensor(value):
                return value.pin_memory()
            if isinstance(value, dict):
                for key in value:
                    value[key] = walk(value[key])
            elif isinstance(value, list):
                for i, item in enumerate(value):
                    value[i] = walk(item)
            elif isinstance(value, tuple):
                return tuple(walk(item) for item in value)
            return value

        walk(self.fields)
        return self
