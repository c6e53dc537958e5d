# fails: 3
import statistics

choose_batch_size = choice(middle=statistics.median_high)
