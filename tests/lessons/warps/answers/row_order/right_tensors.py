import torch


def row_order(lengths):
    values, order = torch.sort(torch.tensor(lengths), descending=True)
    warps = values.split(32)
    return order.tolist(), sum(32 * int(warp[0]) - int(warp.sum()) for warp in warps)
