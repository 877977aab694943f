"""Each picture's time on the terminal against the timebase."""
import os
import tempfile

from measure import CLIP, TPLAY, median, pty, share, table
from terminal import StatusLine


def first_bytes(log, timing):
    """When the first byte of each picture was here: by picture, in seconds."""
    line, times, start = StatusLine(160, 46), {}, 0.0
    with open(log, 'rb') as file, open(timing) as reads:
        for read in reads:
            at, size = read.split()
            for begins in line.feed(file.read(int(size))):
                if begins:
                    start = float(at)
                elif line.picture is not None:
                    times.setdefault(line.picture, start)
    return times


def run():
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        log, timing = os.path.join(folder, 'log'), os.path.join(folder, 'timing')
        for rate, count in ((1, 132), (0.5, 132), (0.1, 132)):
            pty([TPLAY, '--timebase-rate', str(rate), '--until', '%df' % (count - 1), CLIP], '--no-sixel', '--log', log,
                '--timing', timing, '--timeout', str(count * 0.04 / rate + 5), rows=46)
            # What a picture is late or early beside the others: all of them take the same way to here.
            delays = [at - picture * 0.04 / rate for picture, at in first_bytes(log, timing).items()]
            usual = median(delays)
            errors = [abs(delay - usual) * 1e3 for delay in delays]
            rows.append(('%g x' % rate, '%d of %d pictures; median %.2f ms, p90 %.2f ms, p99 %.2f ms, worst %.2f ms' % (
                len(errors), count, median(errors), share(errors, 0.9), share(errors, 0.99), max(errors))))
    table('PACING bbb1080.264, 160 x 45 cells (asked: p99 2 ms, no picture dropped)', rows)
