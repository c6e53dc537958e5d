busy_share = union
