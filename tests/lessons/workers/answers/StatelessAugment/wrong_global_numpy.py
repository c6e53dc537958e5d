# fails: 1
import numpy as np

StatelessAugment = augment(lambda self, i: np.random.uniform(0.8, 1.2))
