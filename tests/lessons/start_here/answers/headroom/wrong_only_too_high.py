# fails: 2


headroom = solved(agree=lambda gain, share: share <= 1.1 * gain)
