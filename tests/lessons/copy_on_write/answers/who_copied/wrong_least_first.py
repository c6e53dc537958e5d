# fails: 0, 1, 2, 3


right = naming(lost("Shared_Dirty"))


def who_copied(before, after, least):
    return right(before, after, least)[::-1]
