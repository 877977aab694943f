"""Each picture's time on the terminal against the timebase."""
from measure import CLIP, TPLAY, share, table
from terminal import Terminal


def run():
    rows = []
    for rate, count in ((1, 132), (0.5, 132), (0.1, 33)):
        terminal = Terminal([TPLAY, '--timebase-rate', str(rate), '--until', '%df' % (count - 1), CLIP])
        terminal.watch(count * 0.04 / rate + 5)
        terminal.end()
        # What a picture is late or early beside the others: all of them take the same way to here.
        delays = [at - picture * 0.04 / rate for picture, at in terminal.began.items()]
        usual = share(delays, 0.5)
        errors = [abs(delay - usual) * 1e3 for delay in delays]
        rows.append(('%g x' % rate, '%d of %d pictures; median %.2f ms, p90 %.2f ms, p99 %.2f ms, worst %.2f ms' % (
            len(errors), count, share(errors, 0.5), share(errors, 0.9), share(errors, 0.99), max(errors))))
    table('PACING bbb1080.264, 160 x 45 cells (asked: p99 2 ms, no picture dropped)', rows)
