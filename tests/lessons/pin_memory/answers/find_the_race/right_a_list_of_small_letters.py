def find_the_race():
    return ["a", "d", "e", "h"]
