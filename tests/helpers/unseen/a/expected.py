"""For each ill loader: its one cause, a pattern of the user's line that is it, words of which one must stand in the first finding, and the right cure."""
ILL = {
 "sports_frames": [
  "each clip decodes all frames from the start of the file up to its own",
  r"container\.decode\(video=0\)|if frame\.time < start|read_clip\(self",
  ["decode", "frame.time", "seek", "read_clip"],
  "container.seek to the key frame before",
 ],
 "satellite_tiles": [
  "a tile of 128 × 128 lies in 64 chunks of 16 × 16: 64 files opened and decoded",
  r"tile = self\.bands\[t",
  ["self.bands[", "chunk", "zarr"],
  "chunks of 128 × 128 (written again)",
 ],
 "whisper_commands": [
  "each sample is padded to 30 s (1.9 MB) before it is collated and sent; it has 1 to 3.5 s",
  r"pad_or_trim\(audio\)|np\.pad\(|\"audio\": torch",
  ["pad", "send", "\"audio\"", "`audio`", "field"],
  "pad to the longest of the batch in the collate function, to 30 s on the device",
 ],
 "vit_pets": [
  "torch.tensor of a list of arrays, element by element, in the collate function",
  r"torch\.tensor\(\[example\[\"pixel_values\"\]|def collate_fn|collate_fn=collate_fn",
  ["collate"],
  "torch.from_numpy(np.stack(…))",
 ],
 "speech_buckets": [
  "the batch sampler reads all 6,000 files for their lengths at the start of each epoch, in the main process",
  r"lengths = \[get_length|BucketingSampler\(data|audio, rate = sf\.read\(path\)",
  ["get_length", "sampler", "start of each epoch", "start of the epoch", "first batch"],
  "lengths read once, in __init__ or from the manifest",
 ],
 "robot_episodes": [
  "each decoder has 16 threads (and 16 frames under way) for the two frames that are wanted, in two workers on two cores",
  r"thread_count = 16|thread_type = \"AUTO\"",
  ["thread"],
  "one thread each: the workers are the parallelism",
 ],
 "scans_shared": [
  "one lock for all workers is held while a slice is read and decompressed: one worker works at a time",
  r"with self\.lock|multiprocessing\.Lock\(\)|f?self\.file\[\"volume\"\]\[i\]",
  ["self.lock", "a lock", "the lock", "lock that", "Lock()"],
  "no lock: each worker has a file of its own",
 ],
 "skin_gallery": [
  "the preview is a view of the whole picture: 921 kB kept for 3.6",
  r"self\.previews\[i\] = image|image\[::16, ::16\]",
  [" view", ".base", ".copy()", "storage"],
  "image[::16, ::16].copy()",
 ],
 "whale_blocks": [
  "sf.blocks(out=block) gives the same array each time: a batch is 32 times its last block",
  r"out=block|torch\.from_numpy\(second\)|block = np\.empty",
  ["same", "alike", "repeat", "identical", "equal", "overwritten", "shared"],
  "a copy of the block, or blocksize= instead of out=",
 ],
 "weather_shards": [
  "each worker shuffles the shards with numbers of its own, then takes every second: some shards twice, some never",
  r"random\.shuffle\(shards\)|shards\[worker\.id::worker\.num_workers\]|def my_shards",
  ["repeat", "twice", "missing", "never", "not all"],
  "shuffle with seed + epoch, alike in all workers",
 ],
 "leaves_broken": [
  "picture 271 is truncated: OSError in a worker",
  r"pil_loader\(self\.files\[i\]\)|image\.convert\(\"RGB\"\)|return image",
  ["truncated", "OSError"],
  "leave it out (find it once)",
 ],
}
HEALTHY = {
 "ok_faces": "loading is hidden; the step (90 ms)",
 "ok_spectra": "loading is hidden; the step (40 ms)",
}
NO_STEP = []  # those that have a step are run with it
THREADS = {
 "sports_frames": "meta-pytorch/torchcodec#703, soft-matter/pims#340",
 "satellite_tiles": "openclimatefix-archives/nowcasting_dataset#16 (and deshaw/versioned-hdf5#193: many small chunks)",
 "whisper_commands": "fixie-ai/ultravox#5, lhotse-speech/lhotse#115",
 "vit_pets": "huggingface/transformers#24772, pytorch/pytorch#39842",
 "speech_buckets": "SeanNaren/deepspeech.pytorch#162 and #143",
 "robot_episodes": "baidu-baige/LoongForge#135, dmlc/decord#63",
 "scans_shared": "pytorch/pytorch#41064, #11929",
 "skin_gallery": "numpy/numpy#10273, #19091",
 "whale_blocks": "bastibe/python-soundfile#209, #213",
 "weather_shards": "huggingface/datasets#5696",
 "leaves_broken": "pytorch/pytorch#7238",
}
GAINS = {  # measured with measure.py and deliver.py, one at a time under the lock, two cores, 2026-11-29: samples/s of the ill one, of the cured one
 "sports_frames": "22 → 118: 5.3 ×",
 "satellite_tiles": "85 → 966: 11.3 ×",
 "whisper_commands": "551 → 1,556: 2.8 ×",
 "vit_pets": "66 → 432: 6.5 ×",
 "speech_buckets": "3,242 → 5,892 over whole epochs: 1.8 ×",
 "robot_episodes": "137 → 277: 2.0 ×",
 "scans_shared": "280 → 413: 1.5 ×",
 "skin_gallery": "1.0 × (348 → 348); workers' own memory after two epochs 2,453 → 77 MB",
 "whale_blocks": "1,394 of 1,440 blocks never come, the 46 others 31 times → each once",
 "weather_shards": "500 to 1,500 of 4,000 stations missing, as many twice, in each epoch anew → each once",
 "leaves_broken": "OSError in the first epoch → 399 of 400, each once",
 "ok_faces": "336 of at most 356 samples/s (the step)",
 "ok_spectra": "1,506 of at most 1,600 samples/s (the step)",
}
