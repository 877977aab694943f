"""Backwards at the speed of the stream."""
import os
import subprocess
import tempfile

from measure import CLIP, TPLAY, table
from terminal import Terminal


def run():
    with tempfile.TemporaryDirectory(dir='/dev/shm') as folder:
        path = os.path.join(folder, 'gop250.264')
        with open(CLIP, 'rb') as clip:
            data = clip.read()
        # A byte stream cannot be looped by ffmpeg itself: it cannot go back in one.
        subprocess.run(['ffmpeg', '-v', 'error', '-r', '25', '-f', 'h264', '-i', '-', '-c:v', 'libx264', '-preset', 'veryfast', '-g', '250',
                        '-keyint_min', '250', '-sc_threshold', '0', '-frames:v', '500', '-f', 'h264', path], check=True, input=data * 4)
        terminal = Terminal([TPLAY, '--timebase-rate', '-1', '--renderer', 'half', path])
        start = terminal.start
        terminal.watch(60)
        terminal.end()
        at = sorted(terminal.began.values())
        usage = terminal.usage
        rows = [('-1 x', '%d of 500 pictures in %.1f s (the stream: 20.0); longest wait %.0f ms; %.1f s CPU; %.0f MB' % (
            len(at), at[-1] - start, max(b - a for a, b in zip(at, at[1:])) * 1e3, usage.ru_utime + usage.ru_stime,
            usage.ru_maxrss / 1024))]
    table('BACKWARDS, 1080p, groups of 250 pictures (asked: real time within the budget of 256 MB)', rows)
