# fails: 2
import torch


def with_file_system(then):
    def answer(loader, count):
        torch.multiprocessing.set_sharing_strategy("file_system")
        return then(loader, count)

    return answer


keep_results = with_file_system(cloned)
