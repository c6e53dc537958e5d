# fails: 0
from loaderlab.lessons.start_here import probes

SquaresDataset = wrong(__len__=lambda self: probes.BATCH)
