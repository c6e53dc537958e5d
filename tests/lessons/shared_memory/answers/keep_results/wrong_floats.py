# fails: 0, 2


keep_results = each(lambda v: v.float())
