# fails: 2, 3
from torch.utils.data import default_collate

collate_in_place = default_collate
