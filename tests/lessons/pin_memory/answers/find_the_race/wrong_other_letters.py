# fails: 0, 1


def find_the_race():
    return set("ADEHX")
