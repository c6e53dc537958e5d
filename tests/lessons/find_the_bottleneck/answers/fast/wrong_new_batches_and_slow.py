# fails: 1
from loaderlab.lessons.find_the_bottleneck import repaired

Photos, Training = repaired.only("generator", "epoch")
