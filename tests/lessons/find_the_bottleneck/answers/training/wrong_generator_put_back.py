# fails: 7
from loaderlab.lessons.find_the_bottleneck import repaired

Photos, Training = repaired.without("generator")
