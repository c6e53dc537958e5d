import copy

keep_results = each(copy.deepcopy)
