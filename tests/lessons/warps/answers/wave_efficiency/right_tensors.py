import torch


def wave_efficiency(m, n, tile_m, tile_n, sms):
    size, tile = torch.tensor([m, n], dtype=torch.float64), torch.tensor([tile_m, tile_n], dtype=torch.float64)
    waves = torch.ceil(torch.ceil(size / tile).prod() / sms)
    return size.prod() / (waves * sms * tile.prod())
