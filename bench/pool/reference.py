"""One sample of Python's pools, printed as JSON, to compare the Ruby targets with.

    python3 reference.py processes|threads|loky JOB ITEMS CALLS WORKERS UNIT

CALLS is 0 for one call that starts its own workers.
"""
import concurrent.futures
import glob
import json
import os
import resource
import sys
import time


def tiny(number):
    return number + 1


def spin(seconds):
    give_up = time.thread_time() + seconds
    while time.thread_time() < give_up:
        pass
    return 1


def spin_100us(_):
    return spin(0.0001)


def spin_100ms(_):
    return spin(0.1)


def big(text):
    return text[1:] + text[:1]


def wait(_):
    time.sleep(0.02)
    return 1


JOBS = {job.__name__: job for job in (tiny, spin, spin_100us, spin_100ms, big, wait)}


def items_of(job, count):
    if job == "spin":
        import random
        durations = [0.1 / rank for rank in range(1, count + 1)]
        random.Random(1).shuffle(durations)
        return durations
    if job == "big":
        return [(b"%08d" % number) * (4 * 1024 * 1024 // 8) for number in range(count)]
    return list(range(count))


def right(job, items, results):
    if job in ("tiny", "big"):
        return results == [JOBS[job](item) for item in items]
    return results == [1] * len(items)


def children(pid):
    found = []
    for path in glob.glob(f"/proc/{pid}/task/*/children"):
        try:
            with open(path) as file:
                found += [int(child) for child in file.read().split()]
        except OSError:
            pass
    return found + [deeper for child in found for deeper in children(child)]


def cpu():
    """Of this process, of its children that ended, and of those that live."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    total = time.process_time() + ended.ru_utime + ended.ru_stime
    for pid in children(os.getpid()):
        try:
            total += time.clock_gettime((~pid << 3) | 2)
        except OSError:
            pass
    return total


def open_pool(kind, workers):
    if kind == "loky":
        from joblib import Parallel, delayed
        pool = Parallel(n_jobs=workers)
        return lambda job, items: pool(delayed(job)(item) for item in items), lambda: None
    kinds = {
        "processes": concurrent.futures.ProcessPoolExecutor,
        "threads": concurrent.futures.ThreadPoolExecutor,
    }
    made = kinds[kind](workers)
    return lambda job, items: list(made.map(job, items)), made.shutdown


def main(kind, job, count, calls, workers, unit):
    items = items_of(job, count)
    function = JOBS[job]
    run, close = open_pool(kind, workers)
    for _ in range(max(calls // 5, 1)):
        assert right(job, items[:2], run(function, items[:2]))
    if calls == 0:
        close()
    begun, used = time.monotonic(), cpu()
    if calls == 0:
        run, close = open_pool(kind, workers)
    for _ in range(max(calls, 1)):
        results = run(function, items)
    if calls == 0:
        close()
    wall, used = time.monotonic() - begun, cpu() - used
    if calls > 0:
        close()
    assert right(job, items, results), "wrong results"
    operations = max(calls, 1) * (1 if unit == "call" else count)
    print(json.dumps({"operations": operations, "wall": wall, "cpu": used,
                      "cpu_us": used * 1e6 / operations, "rate": operations / wall,
                      "user_us": None, "allocations": None, "syscalls": None}))


if __name__ == "__main__":
    numbers = [int(text) for text in sys.argv[3:6]]
    main(sys.argv[1], sys.argv[2], *numbers, sys.argv[6])
