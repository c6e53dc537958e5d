from dataclasses import dataclass, replace

from torch.utils._pytree import tree_map


@dataclass
class PinnableBatch:
    fields: dict

    def pin_memory(self):
        return replace(
            self,
            fields=tree_map(lambda leaf: leaf.pin_memory() if isinstance(leaf, torch.Tensor) else leaf, self.fields),
        )
