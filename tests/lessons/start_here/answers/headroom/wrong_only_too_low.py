# fails: 2


headroom = solved(agree=lambda gain, share: gain <= 1.1 * share)
