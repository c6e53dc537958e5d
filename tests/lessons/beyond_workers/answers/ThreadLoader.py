# %% given
from collections import deque
from concurrent.futures import ThreadPoolExecutor, as_completed

from torch.utils.data import BatchSampler, default_collate


class Given:
    def __init__(self, dataset, batch_size, threads, ahead):
        self.dataset, self.batch_size = dataset, batch_size
        self.threads, self.ahead = threads, ahead

    def batches(self):
        return BatchSampler(range(len(self.dataset)), self.batch_size, drop_last=False)

    def load(self, index):
        try:
            return self.dataset[index]
        except Exception as error:
            error.add_note(f"sample {index}")
            raise

# %% right: an iterator of map for each batch
class ThreadLoader(Given):
    def __iter__(self):
        with ThreadPoolExecutor(self.threads) as pool:
            loading = deque()
            for rows in self.batches():
                loading.append(pool.map(self.load, rows))
                if len(loading) > self.ahead:
                    yield default_collate(list(loading.popleft()))
            for samples in loading:
                yield default_collate(list(samples))

# %% right: asks for the next one before it hands one out
from itertools import islice


class ThreadLoader(Given):
    def __iter__(self):
        pool = ThreadPoolExecutor(max_workers=self.threads)
        try:
            futures = ([pool.submit(self.load, index) for index in rows] for rows in self.batches())
            loading = deque(islice(futures, self.ahead))
            while loading:
                batch = default_collate([future.result() for future in loading.popleft()])
                loading.extend(islice(futures, 1))
                yield batch
        finally:
            pool.shutdown(cancel_futures=True)

# %% right: threads and queues of its own
import queue
import threading


class ThreadLoader(Given):
    def __iter__(self):
        tasks, over = queue.SimpleQueue(), threading.Event()

        def work():
            while (task := tasks.get()) is not None:
                index, place = task
                try:
                    place.put((self.dataset[index], None))
                except Exception as error:
                    error.add_note(f"The sample is {index}.")
                    place.put((None, error))

        def asked(rows):
            places = [queue.SimpleQueue() for _row in rows]
            for task in zip(rows, places):
                tasks.put(task)
            return places

        threads = [threading.Thread(target=work) for _thread in range(self.threads)]
        for thread in threads:
            thread.start()
        try:
            loading = deque()
            for rows in [*self.batches(), *[None] * self.ahead]:
                loading.append(rows and asked(rows))
                if len(loading) > self.ahead and (places := loading.popleft()):
                    samples = []
                    for place in places:
                        sample, error = place.get()
                        if error:
                            raise error
                        samples.append(sample)
                    yield default_collate(samples)
        finally:
            for _thread in threads:
                tasks.put(None)

# %% right: a slice of futures
class ThreadLoader(Given):
    def __iter__(self):
        size, most = self.batch_size, (self.ahead + 1) * self.batch_size
        with ThreadPoolExecutor(self.threads) as pool:
            futures, asked = {}, 0
            for start in range(0, len(self.dataset), size):
                while asked < min(start + most, len(self.dataset)):
                    futures[asked] = pool.submit(self.load, asked)
                    asked += 1
                yield default_collate([futures.pop(i).result() for i in range(start, min(start + size, asked))])

# %% wrong: no threads · fails 1, 2, 3
class ThreadLoader(Given):
    def __iter__(self):
        for rows in self.batches():
            yield default_collate([self.dataset[index] for index in rows])

# %% wrong: a task for each batch · fails 1
class ThreadLoader(Given):
    def __iter__(self):
        def made(rows):
            return default_collate([self.load(index) for index in rows])

        with ThreadPoolExecutor(self.threads) as pool:
            loading = deque()
            for rows in self.batches():
                loading.append(pool.submit(made, rows))
                if len(loading) > self.ahead:
                    yield loading.popleft().result()
            for future in loading:
                yield future.result()

# %% wrong: one thread more · fails 1
class ThreadLoader(Given):
    def __iter__(self):
        with ThreadPoolExecutor(self.threads + 1) as pool:
            loading = deque()
            for rows in self.batches():
                loading.append(pool.map(self.load, rows))
                if len(loading) > self.ahead:
                    yield default_collate(list(loading.popleft()))
            for samples in loading:
                yield default_collate(list(samples))

# %% wrong: asks for the whole dataset · fails 2
class ThreadLoader(Given):
    def __iter__(self):
        with ThreadPoolExecutor(self.threads) as pool:
            samples = []
            for sample in pool.map(self.load, range(len(self.dataset))):
                samples.append(sample)
                if len(samples) == self.batch_size:
                    yield default_collate(samples)
                    samples = []
            if samples:
                yield default_collate(samples)

# %% wrong: nothing ahead · fails 2
class ThreadLoader(Given):
    def __iter__(self):
        with ThreadPoolExecutor(self.threads) as pool:
            for rows in self.batches():
                yield default_collate(list(pool.map(self.load, rows)))

# %% wrong: one batch too far ahead · fails 2
class ThreadLoader(Given):
    def __iter__(self):
        with ThreadPoolExecutor(self.threads) as pool:
            loading = deque()
            for rows in self.batches():
                loading.append(pool.map(self.load, rows))
                if len(loading) > self.ahead + 1:
                    yield default_collate(list(loading.popleft()))
            for samples in loading:
                yield default_collate(list(samples))

# %% wrong: as they are ready · fails 0
class ThreadLoader(Given):
    def __iter__(self):
        with ThreadPoolExecutor(self.threads) as pool:
            loading = deque()
            for rows in self.batches():
                loading.append([pool.submit(self.load, index) for index in rows])
                if len(loading) > self.ahead:
                    yield default_collate([future.result() for future in as_completed(loading.popleft())])
            for futures in loading:
                yield default_collate([future.result() for future in as_completed(futures)])

# %% wrong: without the last batches · fails 0
class ThreadLoader(Given):
    def __iter__(self):
        with ThreadPoolExecutor(self.threads) as pool:
            loading = deque()
            for rows in self.batches():
                loading.append(pool.map(self.load, rows))
                if len(loading) > self.ahead:
                    yield default_collate(list(loading.popleft()))

# %% wrong: the error without its index · fails 3
class ThreadLoader(Given):
    def __iter__(self):
        with ThreadPoolExecutor(self.threads) as pool:
            loading = deque()
            for rows in self.batches():
                loading.append(pool.map(self.dataset.__getitem__, rows))
                if len(loading) > self.ahead:
                    yield default_collate(list(loading.popleft()))
            for samples in loading:
                yield default_collate(list(samples))

# %% wrong: what cannot be loaded is left out · fails 3
class ThreadLoader(Given):
    def load(self, index):
        try:
            return self.dataset[index]
        except Exception:
            return None

    def __iter__(self):
        with ThreadPoolExecutor(self.threads) as pool:
            loading = deque()
            for rows in [*self.batches(), *[[]] * self.ahead]:
                loading.append(pool.map(self.load, rows))
                if len(loading) > self.ahead:
                    samples = [sample for sample in loading.popleft() if sample is not None]
                    if samples:
                        yield default_collate(samples)

# %% wrong: a pool that stays · fails 4
class ThreadLoader(Given):
    def __init__(self, dataset, batch_size, threads, ahead):
        super().__init__(dataset, batch_size, threads, ahead)
        self.pool = ThreadPoolExecutor(threads)

    def __iter__(self):
        loading = deque()
        for rows in self.batches():
            loading.append(self.pool.map(self.load, rows))
            if len(loading) > self.ahead:
                yield default_collate(list(loading.popleft()))
        for samples in loading:
            yield default_collate(list(samples))

# %% wrong: a list of all batches · fails 2, 3
class ThreadLoader(Given):
    def __iter__(self):
        with ThreadPoolExecutor(self.threads) as pool:
            futures = [[pool.submit(self.load, index) for index in rows] for rows in self.batches()]
            return iter([default_collate([future.result() for future in those]) for those in futures])

# %% wrong: a generator that goes once · fails 0, 4
class ThreadLoader(Given):
    def __init__(self, *given):
        super().__init__(*given)
        self.passing = self.go()

    def __iter__(self):
        return self.passing

    def go(self):
        with ThreadPoolExecutor(self.threads) as pool:
            loading = deque()
            for rows in self.batches():
                loading.append(pool.map(self.load, rows))
                if len(loading) > self.ahead:
                    yield default_collate(list(loading.popleft()))
            for samples in loading:
                yield default_collate(list(samples))
