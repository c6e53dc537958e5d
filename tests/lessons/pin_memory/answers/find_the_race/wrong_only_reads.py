# fails: 0


def find_the_race():
    return {"A", "E", "H"}
