# fails: 1, 2


wave_efficiency = efficiency(right_tiles, lambda tiles, sms: max(1, tiles // sms))
