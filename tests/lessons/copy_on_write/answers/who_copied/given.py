# What the answers to this exercise share.


def naming(amount, enough=lambda kb, least: kb >= least, pids=lambda before, after: before.keys() & after.keys()):
    """By the amount of one worker from its lines before and after."""

    def answer(before, after, least):
        amounts = {pid: amount(before.get(pid, {}), after.get(pid, {})) for pid in pids(before, after)}
        named = [pid for pid in amounts if enough(amounts[pid], least)]
        return sorted(named, key=lambda pid: amounts[pid], reverse=True)

    return answer


def grown(*lines):
    return lambda before, after: sum(after[line] - before[line] for line in lines)


def lost(*lines):
    return lambda before, after: sum(before.get(line, 0) - after.get(line, 0) for line in lines)
