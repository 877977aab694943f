"""A terminal that reads tplay's status line and notes when each picture came."""
import fcntl
import os
import re
import select
import struct
import subprocess
import termios
import time


class StatusLine:
    """The last row of a terminal, of as much as tplay sends to one."""
    TOKEN = re.compile(r'\x1b\[([?<>=]?)([\d;]*)[ $]?([@-~])|\x1b[P_\]].*?(?:\x1b\\|\x07)|\x1b[^\[P_\]]'
                       r'|[\x00-\x1a\x1c-\x1f]|[^\x00-\x1f]+', re.S)

    def __init__(self, columns, rows):
        self.rows, self.x, self.y, self.cells, self.rest = rows, 0, 0, [' '] * columns, b''

    def feed(self, data):
        """Reads output; calls back at the end of each update."""
        text = (self.rest + data).decode('utf-8', 'surrogateescape')
        place = 0
        while match := self.TOKEN.match(text, place):
            place = match.end()
            private, numbers, final = match.groups()
            if final and private:
                if numbers == '2026':
                    yield final == 'h'
            elif final:
                first, *more = [max(int(n or 0), 1) for n in numbers.split(';')]
                if final == 'H':
                    self.y, self.x = first - 1, (more or [1])[0] - 1
                elif final == 'C':
                    self.x += first
                elif final == 'b':
                    self.put(self.cells[self.x - 1] * first)
            elif match[0][0] == '\r':
                self.x = 0
            elif match[0][0] >= ' ':
                self.put(match[0])
        self.rest = text[place:].encode('utf-8', 'surrogateescape')

    def put(self, text):
        if self.y == self.rows - 1:
            for place, character in enumerate(text, self.x):
                if place < len(self.cells):
                    self.cells[place] = character
        self.x += len(text)

    @property
    def text(self):
        return ''.join(self.cells)

    @property
    def picture(self):
        match = re.match(r' (\d+)[ /]', self.text)
        return match and int(match[1])


class Terminal:
    """A program in a pseudo-terminal with truecolour and synchronized updates."""
    ANSWERS = ((b'\x1b[c', b'\x1b[?62;22c'), (b'\x1b[5n', b'\x1b[0n'), (b'\x1b[?2026$p', b'\x1b[?2026;2$y'))

    def __init__(self, command, columns=160, rows=46, stdin=None):
        self.master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, columns * 8, rows * 16))

        def own_terminal():
            os.setsid()
            fcntl.ioctl(1, termios.TIOCSCTTY, 0)
        self.process = subprocess.Popen(
            command, stdin=slave if stdin is None else stdin, stdout=slave, stderr=slave, preexec_fn=own_terminal,
            env=dict(os.environ, TERM='xterm-256color', COLORTERM='truecolor'))
        os.close(slave)
        os.set_blocking(self.master, False)
        self.line = StatusLine(columns, rows)
        self.began, self.complete = {}, {}      # picture: when its first and its last byte was here
        self.picture, self.start = None, time.monotonic()
        self.usage = None
        self.unanswered = b''

    def type(self, keys):
        os.write(self.master, keys)

    def watch(self, seconds, until=lambda: False):
        """Reads until something is true (then its time comes back), the program has ended, or the time is over."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            select.select([self.master], [], [], 0.02)
            came = []
            try:                        # all there is, before any of it is read closely: that takes time
                while data := os.read(self.master, 1 << 16):
                    came.append((time.monotonic(), data))
            except BlockingIOError:
                pass
            except OSError:
                self.end()
                return None
            for now, data in came:
                # Each is answered, also one in two reads: who waits for an answer in vain takes the link for a dead one.
                self.unanswered = self.unanswered[-8:] + data
                for query, answer in self.ANSWERS:
                    if count := self.unanswered.count(query):
                        os.write(self.master, answer * count)
                        self.unanswered = self.unanswered.replace(query, b'')
                for begins in self.line.feed(data):
                    if begins:
                        self.start = now
                    elif self.line.picture is not None:
                        self.picture = self.line.picture
                        self.began.setdefault(self.picture, self.start)
                        self.complete.setdefault(self.picture, now)
            if came and until():
                return came[-1][0]
        return None

    def end(self):
        """Waits for the program; its use of the machine is in `usage`."""
        if self.usage is None:
            os.close(self.master)
            _, _, self.usage = os.wait4(self.process.pid, 0)
            self.process.returncode = 0

    @property
    def peak(self):
        """The highest memory so far, in megabytes."""
        with open('/proc/%d/status' % self.process.pid) as status:
            return int(re.search(r'VmHWM:\s*(\d+)', status.read())[1]) / 1024
