def copied_pages(page_of, reads):
    total = 0
    for indices in reads:
        seen = []
        for index in indices:
            page = page_of[index]
            if page is None or page in seen:
                continue
            seen.append(page)
            total += 1
    return total
