"""CPU, memory and bytes of playing as fast as possible, beside decoding alone and beside the peers; start, pause, large files."""
import os
import shutil
import tempfile

from measure import BENCH, CLIP, DECODE, DECODE_THREADED, PICTURES, RUNS, THREADS, TPLAY, cpu, decode, median, paired, pty, repeated, table


def run():
    for name, asked in (('bbb1080.264', 'asked: half 1.15 x, other cells 1.4 x, sixel 2.5 x decode alone; half 160 KB'),
                        ('static1080.264', 'asked: half 9 KB')):
        renderers(name, asked)
    still = os.path.join(BENCH, 'still1080.264')
    all_of_it = pty([TPLAY, '--untimed', '--no-status', '--renderer', 'half', still], '--no-sixel')
    first = pty([TPLAY, '--untimed', '--no-status', '--renderer', 'half', '--until', '0f', still], '--no-sixel')
    table('STILL', [('still1080.264', '%d bytes after the first picture (asked: 0)' % (all_of_it['bytes'] - first['bytes']))])
    start_and_pause()
    large_file()


def renderers(name, asked):
    clip = os.path.join(BENCH, name)
    commands = {}
    for kind in ('half', 'quadrant', 'sextant', 'octant', 'braille', 'ascii'):
        commands['tplay ' + kind] = ([TPLAY, '--untimed', '--no-status', '--renderer', kind, clip], ['--no-sixel'], 45)
    # A last row is left for the text: the image is 1280 x 720.
    commands['tplay sixel'] = ([TPLAY, '--untimed', '--renderer', 'sixel', clip], [], 46)
    commands['tplay kitty'] = ([TPLAY, '--untimed', '--renderer', 'kitty', clip], ['--kitty'], 46)
    mpv = ['mpv', '--no-config', '--untimed', '--no-audio', '--really-quiet', clip]
    if shutil.which('timg'):
        commands['timg half'] = (['timg', '-ph', '-g160x45', '--threads=1', clip], ['--no-sixel'], 45)
        commands['timg quadrant'] = (['timg', '-pq', '-g160x45', '--threads=1', clip], ['--no-sixel'], 45)
    if shutil.which('mpv'):
        commands['mpv tct'] = (mpv + ['--vo=tct'], ['--no-sixel'], 45)
        commands['mpv sixel'] = (mpv + ['--vo=sixel'], [], 46)
    measures = {
        DECODE: lambda: {'cpu': cpu(decode(clip))},
        DECODE_THREADED: lambda: {'cpu': cpu(decode(clip, THREADS))}}
    for kind, (command, options, rows) in commands.items():
        measures[kind] = lambda c=command, o=options, r=rows: pty(c, *o, '--timeout', '60', rows=r)
    results = paired(measures)
    seconds = {kind: [result['cpu'] for result in list_] for kind, list_ in results.items()}
    def ratio(kind, base):
        return median([mine / alone for mine, alone in zip(seconds[kind], seconds[base])])
    lines = []
    for kind, list_ in results.items():
        line = '%.2f s CPU' % median(seconds[kind])
        if kind not in (DECODE, DECODE_THREADED):
            line += ', %.2f x (least %.2f x), of decoding with %d threads %.2f x; %.0f MB; %.1f KB a picture' % (
                ratio(kind, DECODE), min(seconds[kind]) / min(seconds[DECODE]), THREADS, ratio(kind, DECODE_THREADED),
                list_[0]['rss_mb'], list_[0]['bytes'] / PICTURES / 1e3)
        lines.append((kind, line))
    table('PLAY %s --untimed, 160 x 45 cells, medians of %d rounds (%s)' % (name, RUNS, asked), lines)


def start_and_pause():
    first = min(pty([TPLAY, CLIP], '--no-sixel', '--keys', '0.6:q', '--timeout', '20')['first'] for _ in range(RUNS))
    paused = pty([TPLAY, '--paused', CLIP], '--no-sixel', '--keys', '5:q', '--timeout', '20')
    short = pty([TPLAY, '--paused', CLIP], '--no-sixel', '--keys', '1:q', '--timeout', '20')
    table('START AND PAUSE', [
        ('first picture', '%.0f ms (asked: 60)' % (first * 1000)),
        ('paused', '%.2f %% CPU, %.0f bytes/s (asked: 0.5 %%, 0)' % (
            max(0, 100 * (paused['cpu'] - short['cpu']) / 4), (paused['bytes'] - short['bytes']) / 4))])


def large_file():
    with tempfile.TemporaryDirectory(dir='/dev/shm') as folder:
        large = repeated(CLIP, 2 << 30, folder)
        small = pty([TPLAY, CLIP], '--no-sixel', '--keys', '4:q', '--timeout', '20')
        big = pty([TPLAY, large], '--no-sixel', '--keys', '4:q', '--timeout', '20')
        table('2 GB', [
            ('first picture', '%.0f ms, small file %.0f ms' % (big['first'] * 1e3, small['first'] * 1e3)),
            ('peak memory', '%.1f MB, small file %.1f MB (%d access units)' % (
                big['rss_mb'], small['rss_mb'], PICTURES * (os.path.getsize(large) // os.path.getsize(CLIP))))])
