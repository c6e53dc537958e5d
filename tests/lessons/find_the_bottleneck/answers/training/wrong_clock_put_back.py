# fails: 0
from loaderlab.lessons.find_the_bottleneck import repaired

Photos, Training = repaired.without("clock")
