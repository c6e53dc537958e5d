# fails: 0, 1, 2, 3


def resume_at(*given):
    return (resume(*given)[0], resume(0, *given[1:])[1][: given[0]])
