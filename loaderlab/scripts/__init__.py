"""What the course leaves in your hands: three scripts in plain PyTorch. Copy this folder into your project.

Each runs from a shell, on pictures that it makes itself or on a folder of yours::

    python -m loaderlab.scripts.efficient_dataloader --help
    python -m loaderlab.scripts.distributed_sampler --help
    python -m loaderlab.scripts.webdataset_loader --help

They need torch, numpy and Pillow. simplejpeg (a faster decoder), psutil (memory) and webdataset are used where installed.
"""
