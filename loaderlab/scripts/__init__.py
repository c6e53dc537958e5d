"""What the course leaves in your hands: three scripts in plain PyTorch, and the modules that they share (MIT licence).

`loaderlab take efficient_dataloader FOLDER` writes one of them, with what it needs, into a project of yours. A file alone
does not work: they import each other, and so are called as modules of their folder, from the folder above it::

    python -m FOLDER.efficient_dataloader --help
    python -m FOLDER.distributed_sampler --help
    python -m FOLDER.webdataset_loader --help

Each runs on pictures that it makes itself or on a folder of yours. They need torch, numpy and Pillow. simplejpeg (a faster
decoder), psutil (memory) and webdataset are used where installed.
"""
