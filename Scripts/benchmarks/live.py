"""From the write of a picture into a pipe to the picture on the terminal."""
import json
import os
import subprocess
import tempfile
import threading
import time

from measure import CLIP, HERE, TPLAY, median, share, table
from terminal import Terminal


def glass_to_glass(path, options):
    """Milliseconds from the write of each picture's last byte to its last byte on the terminal, and the pictures there are."""
    frames = [json.loads(line) for line in subprocess.run(
        [TPLAY, '--report', 'frames', path], capture_output=True, text=True).stdout.splitlines()]
    with open(path, 'rb') as file:
        clip = file.read()
    output, source = os.pipe()
    terminal = Terminal([TPLAY, '--renderer', 'half', *options, '-'], stdin=output)
    os.close(output)
    written = {}

    def write():
        due = time.monotonic() + 0.2
        for frame in sorted(frames, key=lambda frame: frame['decode']):
            time.sleep(max(0, due - time.monotonic()))
            due += 0.04
            rest = memoryview(clip)[frame['offset']:frame['offset'] + frame['bytes']]
            while rest:
                rest = rest[os.write(source, rest):]
            written[frame['frame']] = time.monotonic()
        os.close(source)
    threading.Thread(target=write, daemon=True).start()
    terminal.watch(len(frames) * 0.04 + 10)
    terminal.end()
    return [(at - written[n]) * 1e3 for n, at in terminal.complete.items() if n in written], len(frames)


def run():
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        camera = os.path.join(folder, 'camera.264')
        subprocess.run(['ffmpeg', '-v', 'error', '-i', CLIP, '-r', '25', '-c:v', 'libx264', '-preset', 'veryfast',
                        '-tune', 'zerolatency', '-g', '50', '-f', 'h264', camera], check=True)
        for name, path in (('1080p, no reordering', camera),
                           ('176x144, no reordering, 4 slices', os.path.join(HERE, 'Samples', 'baseline.264')),
                           ('320x180, B pyramid', os.path.join(HERE, 'Samples', 'b-pyramid.264'))):
            for options in ([], ['--low-delay']):
                delays, count = glass_to_glass(path, options)
                rows.append((' '.join([name, *options]), '%d of %d pictures; median %.0f ms, p90 %.0f ms, worst %.0f ms' % (
                    len(delays), count, median(delays), share(delays, 0.9), max(delays))))
    table('LIVE at 25 pictures/s, write to terminal, 160 x 45 cells (asked: median 60 ms without reordering)', rows)
