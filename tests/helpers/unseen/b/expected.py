"""For each ill loader: its one cause, a pattern of the user's line that is it, words of which one must stand in the first finding, and the right cure."""
ILL = {
    "eeg_windows": [
        "rows of a data frame of mixed columns are looked up four times for a window",
        r"metadata\.iloc",
        ["iloc", "data frame", "DataFrame", "pandas"],
        "columns as lists and arrays, made once in __init__",
    ],
    "ecg_beats": [
        "torch.tensor of a list of arrays goes value by value",
        r"torch\.tensor\(\[sample\[\"signal\"\]",
        ["torch.tensor", "collate"],
        "torch.from_numpy(np.stack(...))",
    ],
    "metric_learning": [
        "the sampler, in the main process, makes an array of the list of all labels and goes through it for each class of each batch",
        r"np\.nonzero\(np\.array\(self\.ys\)",
        ["sampler", "np.nonzero", "self.ys"],
        "the members of each class, found once",
    ],
    "nas_search": [
        "the step makes a new iterator of its second loader each time: two workers start and end for one batch",
        r"next\(iter\(valid_queue\)\)",
        ["next(iter", "valid_queue", "step"],
        "one iterator, kept, begun anew when it ends",
    ],
    "pretrain_stream": [
        "the shuffle buffer is larger than a worker's share: all is tokenised before the first batch of each epoch, and nothing goes on beside the step",
        r"buffer\.append|self\.buffer_size|self\.shuffle\(self\.encode|buffer_size=10_000",
        ["buffer", "first batch", "start of", "starts"],
        "shuffle the texts, tokenise what leaves the buffer (or a smaller buffer)",
    ],
    "click_sessions": [
        "reading, decompressing and parsing stand in one file lock of all workers: one works, the others sleep (50 ms a try)",
        r"with self\.lock|FileLock",
        ["lock", "wait"],
        "os.pread, no lock",
    ],
    "fraud": [
        "the sampler has a weight for each class instead of each row: only rows 0, 1 and 2 are ever drawn",
        r"weights = 1 / class_sample_count|WeightedRandomSampler\(weights",
        ["WeightedRandomSampler", "sampler", "never", "repeat", "missing", "weights"],
        "weights[labels]",
    ],
    "sales_shards": [
        "the share is worked out in __init__, where there is no worker: each worker reads every file",
        r"index, total = shard\(\)|\[index::total\]|get_worker_info\(\)",
        ["twice", "repeat", "each worker", "every worker", "2 times", "share"],
        "ask get_worker_info() in __iter__",
    ],
    "ncf_negatives": [
        "np.random.get_state()[1][0] is the same in a worker that PyTorch has seeded: each epoch draws the same numbers",
        r"np\.random\.seed\(|worker_init_fn",
        ["same random", "seed", "worker_init_fn", "alike", "epoch"],
        "no worker_init_fn (PyTorch seeds NumPy), or torch.initial_seed() % 2**32",
    ],
    "molecules": [
        "the collate function leaves out graphs of more than 40 nodes, without a word",
        r"if item is not None and item\[1\]|max_node=40",
        ["missing", "never", "left out", "leaves out", "dropped", "drops", "fewer", "not come", "lost"],
        "a max_node that holds all (512), or leave them out knowingly in the dataset",
    ],
    "ner_spans": [
        "the batch has iterators of re, which cannot be pickled: it never leaves the worker, and the loop waits for ever",
        r"WORDS\.finditer|\"spans\": \[sample",
        ["pickl", "finditer", "spans"],
        "lists of (start, end)",
    ],
}
HEALTHY = {
    "ok_imbalanced": "a right WeightedRandomSampler (rows repeat and are missing on purpose); in memory; the step (25 ms)",
    "ok_forecast": "shares of ranks and workers are right; a real step on the processor is the limit",
}
NO_STEP = ["click_sessions"]  # it has no make_step
THREAD = {
    "eeg_windows": "braindecode/braindecode#89 (Faster dataset iteration through precomputed target/index)",
    "ecg_beats": "pytorch/pytorch#13918 (Pytorch very slow to convert list of numpy arrays into tensors; also #30460, #39842, #57467)",
    "metric_learning": "sung-yeon-kim/Proxy-Anchor-CVPR2020#26 (BalancedSampler is highly inefficient)",
    "nas_search": "skhu101/GM-NAS#4 (iter(dataset) in training loop; also MishaLaskin/vqvae#18, SakanaAI/continuous-thought-machines#19)",
    "pretrain_stream": "NVIDIA/Megatron-Energon#18 (Slow-filling buffers; also meta-pytorch/data#404, huggingface/datasets#8194)",
    "click_sessions": "pytorch/pytorch#41064 (how to add a filelock in Dataset; a lock around a shared file)",
    "fraud": "loicland/superpoint_graph#175 (Imbalanced Classes; the fault explained in deep-voice/soundbay#49)",
    "sales_shards": "lance-format/lance#2713 (workers are only known when __iter__ is called; also huggingface/datasets#3423)",
    "ncf_negatives": "pytorch/pytorch#5059 (np.random generates the same random numbers for each data batch; it takes get_state()[1][0] for the seed; this worker_init_fn stands in many public repositories, and pytorch/pytorch#56488 made it draw the same in each epoch)",
    "molecules": "microsoft/Graphormer#101 (the collator drops samples above max_node)",
    "ner_spans": "pytorch/pytorch#142884 (DataLoader hangs when object fails during pickling)",
}
# Measured plainly with measure.py (samples/s before → after; two cores with a load of 3 to 5, one run each), or what is delivered (check.py).
GAIN = {
    "eeg_windows": "797 → 5,802 (× 7.3)",
    "ecg_beats": "796 → 6,856 (× 8.6)",
    "metric_learning": "1,206 → 5,730 (× 4.8)",
    "nas_search": "373 → 1,648 (× 4.4)",
    "pretrain_stream": None,
    "click_sessions": None,
    "fraud": "3 different rows of 12,000 (cured: 4,190 in 12,000 draws)",
    "sales_shards": "each of 3,200 rows twice (cured: once)",
    "ncf_negatives": "12,000 of 12,000 draws of epoch 1 are those of epoch 0 (cured: 0)",
    "molecules": "924 of 6,000 graphs never come (cured: all come)",
    "ner_spans": "no batch in 10 s, TypeError in a worker's thread (cured: 125 batches)",
}
