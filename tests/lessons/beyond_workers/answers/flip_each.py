# %% right: written into a copy by a mask
def flip_each(images, generator):
    flipped = images.clone()
    chosen = torch.rand(len(images), generator=generator) < 0.5
    flipped[chosen] = images[chosen].flip(-1)
    return flipped

# %% right: whole numbers, by indices
def flip_each(images, generator):
    rows = torch.randint(2, (len(images),), generator=generator).nonzero().squeeze(1)
    return images.index_copy(0, rows, images[rows].flip(3))

# %% right: columns are gathered
def flip_each(images, generator):
    width = images.shape[-1]
    columns = torch.arange(width)
    draws = torch.rand(len(images), 1, generator=generator)
    index = torch.where(draws < 0.5, width - 1 - columns, columns)
    return images.gather(3, index[:, None, None, :].expand_as(images))

# %% right: both versions in a stack
def flip_each(images, generator):
    both = torch.stack([images, images.flip(-1)])
    choice = torch.bernoulli(torch.full((len(images),), 0.5), generator=generator).long()
    return both[choice, torch.arange(len(images))]

# %% wrong: one draw for all · fails 1
def flip_each(images, generator):
    if torch.rand(1, generator=generator) < 0.5:
        return images.flip(-1)
    return images.clone()

# %% wrong: a loop over the images · fails 3
def flip_each(images, generator):
    draws = torch.rand(len(images), generator=generator)
    return torch.stack([image.flip(-1) if draw < 0.5 else image for image, draw in zip(images, draws)])

# %% wrong: a draw in each turn of a loop · fails 3
def flip_each(images, generator):
    flipped = images.clone()
    for place in range(len(images)):
        if torch.rand((), generator=generator) < 0.5:
            flipped[place] = images[place].flip(-1)
    return flipped

# %% wrong: the global generator · fails 2
def flip_each(images, generator):
    mask = torch.rand(len(images)) < 0.5
    return torch.where(mask[:, None, None, None], images.flip(-1), images)

# %% wrong: a seed of its own · fails 1, 2
def flip_each(images, generator):
    own = torch.Generator().manual_seed(0)
    mask = torch.rand(len(images), generator=own) < 0.5
    return torch.where(mask[:, None, None, None], images.flip(-1), images)

# %% wrong: upside down · fails 0, 1, 2
def flip_each(images, generator):
    mask = torch.rand(len(images), generator=generator) < 0.5
    return torch.where(mask[:, None, None, None], images.flip(-2), images)

# %% wrong: floats come back · fails 0, 1, 2
def flip_each(images, generator):
    mirrored = (torch.rand(len(images), generator=generator) < 0.5).float()[:, None, None, None]
    return mirrored * images.flip(-1) + (1 - mirrored) * images

# %% wrong: bytes come back · fails 0
def flip_each(images, generator):
    mask = torch.rand(len(images), generator=generator) < 0.5
    return torch.where(mask[:, None, None, None], images.flip(-1), images).to(torch.uint8)

# %% wrong: the argument is changed · fails 0
def flip_each(images, generator):
    mask = torch.rand(len(images), generator=generator) < 0.5
    images[mask] = images[mask].flip(-1)
    return images

# %% wrong: a draw for each channel · fails 0, 1, 2
def flip_each(images, generator):
    mask = torch.rand(*images.shape[:2], 1, 1, generator=generator) < 0.5
    return torch.where(mask, images.flip(-1), images)

# %% wrong: one in ten · fails 1
def flip_each(images, generator):
    mask = torch.rand(len(images), generator=generator) < 0.1
    return torch.where(mask[:, None, None, None], images.flip(-1), images)

# %% wrong: exactly half · fails 1
def flip_each(images, generator):
    rows = torch.randperm(len(images), generator=generator)[: len(images) // 2]
    return images.index_copy(0, rows, images[rows].flip(-1))

# %% wrong: all are mirrored · fails 1, 2
def flip_each(images, generator):
    return images.flip(-1)

# %% wrong: nothing is returned · fails 0, 1, 2
def flip_each(images, generator):
    mask = torch.rand(len(images), generator=generator) < 0.5
    torch.where(mask[:, None, None, None], images.flip(-1), images)
