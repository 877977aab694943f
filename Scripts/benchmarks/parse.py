"""Scanner, parser and report on a gigabyte in the page cache."""
import os
import subprocess
import tempfile

from measure import BENCH, STACK, TPLAY, cpu, repeated, table


def run():
    rows = []
    with tempfile.TemporaryDirectory(dir='/dev/shm') as folder:
        for name in ('bbb1080.264', 'static1080.264'):
            path = repeated(os.path.join(BENCH, name), 1 << 30, folder)
            size = os.path.getsize(path)
            stages = subprocess.run([STACK, path], capture_output=True, text=True).stdout.splitlines()
            for line in stages:
                stage, rate, rest = line.split(' ', 2)
                rows.append(('%s x 1 GB, %s' % (name, stage), '%.2f %s' % (float(rate), rest)))
            best = min(cpu([TPLAY, '--report', 'summary', path]) for _ in range(3))
            rows.append((name + ' x 1 GB, --report summary', '%.2f GB/s of CPU time' % (size / best / 1e9)))
            os.remove(path)
    table('PARSE (asked: scan 4 GB/s, all headers 1 GB/s)', rows)
