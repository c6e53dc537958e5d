# fails: 0


wave_efficiency = efficiency(right_tiles, lambda tiles, sms: tiles // sms + 1)
