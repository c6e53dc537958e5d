# fails: 1


def find_the_race():
    return {"A", "D", "E", "G", "H"}
