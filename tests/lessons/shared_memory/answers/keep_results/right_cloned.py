keep_results = cloned
