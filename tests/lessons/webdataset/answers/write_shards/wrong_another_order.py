# fails: 3


write_shards = writing(order=lambda samples: samples[::-1])
