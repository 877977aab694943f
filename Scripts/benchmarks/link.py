"""Terminals that take few bytes a second: how long the clip lasts, what of it is seen, how long a key takes."""
import os
import shutil
import tempfile

from measure import CLIP, PICTURES, TPLAY, pty, table
from terminal import StatusLine


def on_screen(log):
    """The pictures that were complete on the terminal."""
    line, seen = StatusLine(160, 46), set()
    with open(log, 'rb') as file:
        while data := file.read(1 << 16):
            for begins in line.feed(data):
                if not begins:
                    seen.add(line.picture)
    return len(seen - {None})


def run():
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, 'log')
        for drain in ('2e6', '2.5e5', '3.2e4'):
            played = pty([TPLAY, CLIP], '--no-sixel', '--drain', drain, '--log', log, '--timeout', '60', rows=46)
            stopped = pty([TPLAY, CLIP], '--no-sixel', '--drain', drain, '--keys', '2:q', '--timeout', '60', rows=46)
            rows.append(('%s bytes/s, tplay' % drain, '%.2f s; %d of %d pictures on screen; q ends after %.0f ms' % (
                played['wall'], on_screen(log), PICTURES, (stopped['wall'] - 2) * 1e3)))
            for name, command in (('timg', ['timg', '-ph', '-g160x45', CLIP]),
                                  ('mpv tct', ['mpv', '--no-config', '--vo=tct', '--no-audio', '--really-quiet', CLIP])):
                if shutil.which(command[0]):
                    wall = pty(command, '--no-sixel', '--drain', drain, '--timeout', '20')['wall']
                    rows.append(('%s bytes/s, %s' % (drain, name), '%s%.2f s' % ('more than ' if wall > 19.9 else '', wall)))
    table('LINK bbb1080.264, 5.28 s, 160 x 45 cells (asked: 5.28 s within 2 %; 125 pictures at 2 MB/s, 60 at 250 KB/s; q 300 ms)', rows)
