# fails: 2


fits = solved(holds=lambda o: o["held"])
