# fails: 3


fits = solved(size=lambda o: sum(map(pages, o["tensor_bytes"])))
