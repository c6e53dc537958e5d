# fails: 6
from loaderlab.lessons.find_the_bottleneck import repaired

Photos, Training = repaired.without("index")
