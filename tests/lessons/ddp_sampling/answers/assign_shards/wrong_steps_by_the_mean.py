# fails: 2
import math

assign_shards = shards(largest_first, lambda loads, size: math.ceil(sum(loads) / len(loads) / size))
