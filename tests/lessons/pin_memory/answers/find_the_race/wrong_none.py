# fails: 0, 1


find_the_race = set
