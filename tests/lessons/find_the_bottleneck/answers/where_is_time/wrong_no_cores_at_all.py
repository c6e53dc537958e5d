# fails: 1


where_is_time = where(change("cores", lambda p: 0))
