# fails: 1, 2


keep_results = each(lambda v: v.to("cpu"))
