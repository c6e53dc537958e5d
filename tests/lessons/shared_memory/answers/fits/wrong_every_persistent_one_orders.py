# fails: 3


fits = solved(orders=lambda o: orders(o) or o["persistent_workers"])
