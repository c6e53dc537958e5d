"""The take-home scripts of the course: four in plain PyTorch, and the modules that they share (MIT licence).

`loaderlab take efficient_dataloader FOLDER` writes one of them, with what it needs, into a project of yours. A file alone
does not work: they import each other, and so are called as modules of their folder, from the folder above it::

    python -m FOLDER.efficient_dataloader --help
    python -m FOLDER.distributed_sampler --help
    python -m FOLDER.webdataset_loader --help
    python -m FOLDER.diagnose --help

`efficient_dataloader` and `webdataset_loader` run on pictures that they make themselves or on a folder of yours, and
`distributed_sampler` on random lengths or on such a folder. They need torch, numpy and Pillow, and `webdataset_loader` needs
webdataset; simplejpeg (a faster decoder) and jpegtran (pictures that can be cut) are used where installed. `diagnose` runs on a loader of yours, and needs torch,
numpy and psutil.
"""
