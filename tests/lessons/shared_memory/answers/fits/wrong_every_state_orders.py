# fails: 3


fits = solved(orders=lambda o: True)
