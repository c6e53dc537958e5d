# fails: 0, 1, 2


wave_efficiency = efficiency(right_tiles, lambda tiles, sms: tiles / sms)
