# fails: 0


def spot_quantisation(times):
    """Whatever is far above the level at which the last step ended is a further step."""
    rows = sorted(times)
    smooth = [statistics.median(times[m] for m in rows[max(0, i - 2) : i + 3]) for i in range(len(rows))]
    steps, level = [], smooth[0]
    for m, time in enumerate(smooth):
        if time > 1.1 * level:
            steps.append(m)
            level = time
    return steps[0] if len(steps) > 1 and steps == list(range(steps[0], len(rows), steps[0])) else None
