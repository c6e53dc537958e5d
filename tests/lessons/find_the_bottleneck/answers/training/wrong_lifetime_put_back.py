# fails: 3
from loaderlab.lessons.find_the_bottleneck import repaired

Photos, Training = repaired.without("lifetime")
