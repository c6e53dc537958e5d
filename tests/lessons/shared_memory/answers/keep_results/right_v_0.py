keep_results = each(lambda v: v + 0)
