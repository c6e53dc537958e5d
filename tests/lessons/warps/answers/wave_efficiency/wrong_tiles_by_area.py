# fails: 1, 2
import math

wave_efficiency = efficiency(lambda m, n, tm, tn: math.ceil(m * n / (tm * tn)), right_waves)
