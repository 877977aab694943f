"""What all benchmarks share: where things are, how a command is measured, how a table is printed."""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHARED = os.path.join(HERE, '..', 'shared')
BENCH = os.path.join(SHARED, 'streams', 'bench')
CLIP = os.path.join(BENCH, 'bbb1080.264')
PICTURES = 132                          # of CLIP, 5.28 s
TPLAY = os.path.join(HERE, '.build', 'release', 'tplay')
STACK = os.path.join(HERE, '.build', 'release', 'stack-bench')
RUNS = int(os.environ.get('RUNS', '7'))
DECODE = 'ffmpeg -threads 1, decode alone'
# As tplay decodes: frame threads cost processor time of their own.
THREADS = min(os.cpu_count(), 16)
DECODE_THREADED = 'ffmpeg -threads %d, decode alone' % THREADS


def cpu(command):
    """User and system seconds of a command."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               stdin=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    return usage.ru_utime + usage.ru_stime


def decode(clip, threads=1):
    return ['ffmpeg', '-v', 'quiet', '-threads', str(threads), '-i', clip, '-f', 'null', '-']


def pty(command, *options, rows=45):
    """One run under ptyrun.py at 160 columns, as its numbers."""
    tool = os.path.join(SHARED, 'tools', 'ptyrun.py')
    run = subprocess.run([sys.executable, tool, '--cols', '160', '--rows', str(rows), '--json',
                          *options, '--', *command], capture_output=True, text=True)
    return json.loads(run.stdout.splitlines()[-1])


def paired(measures):
    """Runs every measure once a round, so that all meet the same machine: a list of results by name."""
    results = {name: [] for name in measures}
    for _ in range(RUNS):
        for name, measure in measures.items():
            results[name].append(measure())
    return results


def share(values, part):
    """The value that a part of all are not above."""
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


def median(values):
    return share(values, 0.5)


def table(title, rows):
    print('\n%s   (load %.1f)' % (title, os.getloadavg()[0]))
    width = max(len(name) for name, _ in rows)
    for name, text in rows:
        print('  %-*s  %s' % (width, name, text), flush=True)


def repeated(clip, size, folder):
    """A clip repeated to a size, in the page cache."""
    with open(clip, 'rb') as file:
        data = file.read()
    path = os.path.join(folder, '%s.%d.264' % (os.path.basename(clip), size))
    with open(path, 'wb') as file:
        for _ in range(max(1, size // len(data))):
            file.write(data)
    return path
