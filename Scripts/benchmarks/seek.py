"""A stream of three hours: index, End, Home and seeks by key."""
import os
import random
import re
import tempfile
import time

from measure import CLIP, PICTURES, TPLAY, median, table
from terminal import Terminal


def run():
    with tempfile.TemporaryDirectory(dir='/dev/shm') as folder:
        path = os.path.join(folder, 'hours.264')
        with open(CLIP, 'rb') as clip, open(path, 'wb') as file:
            data = clip.read()
            for _ in range(3 * 3600 * 25 // PICTURES):
                file.write(data)
        size = os.path.getsize(path)
        terminal = Terminal([TPLAY, '--paused', '--renderer', 'half', path])
        start = terminal.start
        whole = terminal.watch(60, until=lambda: re.match(r' \d+/\d+ ', terminal.line.text))
        total = int(re.match(r' \d+/(\d+)', terminal.line.text)[1])
        rows = [('index', '%.1f GB, %d pictures in %.2f s, %.1f GB/s (asked: 1)' % (
            size / 1e9, total, whole - start, size / 1e9 / (whole - start)))]

        def go(keys, target):
            terminal.complete.pop(target, None)     # it may have been shown before
            typed = time.monotonic()
            terminal.type(keys)
            terminal.watch(20, until=lambda: target in terminal.complete)
            return (terminal.complete[target] - typed) * 1e3 if target in terminal.complete else float('inf')
        rows.append(('End', '%.0f ms' % go(b'\x1b[F', total - 1)))
        rows.append(('Home', '%.0f ms' % go(b'\x1b[H', 0)))
        choice = random.Random(5)
        targets = [choice.randrange(total) for _ in range(20)]
        times = [(go(b'g%df\r' % target, target), target % PICTURES) for target in targets]
        # A picture's place in its group of 132 is what has to be decoded: 8 ms each here.
        rows.append(('20 seeks', 'median %.0f ms, worst %.0f ms; beyond 8 ms for each picture of the group before: worst %.0f ms (asked: 250)' % (
            median([t for t, _ in times]), max(times)[0], max(t - 8 * place for t, place in times))))
        rows.append(('peak memory', '%.0f MB (asked: 128 and the caches, 256 of pictures)' % terminal.peak))
        terminal.type(b'q')
        terminal.watch(2)
        terminal.end()
    table('SEEK in 3 hours of 1080p, 25 pictures/s, one entry point in 132', rows)
