# fails: 3


fits = solved(holds=lambda o: 0 if o["pin_memory"] or o["state"] != "running" else o["held"])
