# fails: 1


fits = solved(size=lambda o: sum(o["tensor_bytes"]) if o["num_workers"] else 0)
