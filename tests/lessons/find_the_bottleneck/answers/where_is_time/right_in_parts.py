where_is_time = where(lambda p, found: None)
