# fails: 2


def resume_at(steps, *rest):
    """At the end of an epoch nothing is left of it."""
    epoch, left = resume(steps, *rest)
    per_epoch = len(resume(0, *rest)[1])
    return (epoch - 1, []) if steps and steps % per_epoch == 0 else (epoch, left)
