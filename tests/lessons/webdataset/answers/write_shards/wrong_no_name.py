# fails: 3


write_shards = writing(fields=lambda name, image, label: {"bin": image, "cls": label})
