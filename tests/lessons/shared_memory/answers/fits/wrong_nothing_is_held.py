# fails: 2, 3, 4


fits = solved(holds=lambda o: 0)
