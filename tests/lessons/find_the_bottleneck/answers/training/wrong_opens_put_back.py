# fails: 4
from loaderlab.lessons.find_the_bottleneck import repaired

Photos, Training = repaired.without("opens")
