# fails: 3


write_shards = writing(fields=lambda name, image, label: {"jpg": image, "cls": label, "txt": name})
