"""A program that answers each line on its standard input with one line on its standard output.

It is started once and asked many times. Separate threads write and read, so neither
side ever waits for a full pipe. If the program dies, the line that killed it is found and answered with
a Crash, and a new process continues with the rest.
"""

import queue
import subprocess
import tempfile
import threading


class Crash:
    """Stands for the answer to a line on which the program died or hung."""

    def __init__(self, reason, stderr, hung=False):
        self.reason = reason
        self.stderr = stderr
        self.hung = hung

    def __str__(self):
        tail = self.stderr.strip()[-1500:]
        return self.reason + (f"; it said:\n{tail}" if tail else "")


class ServiceError(Exception):
    """The program cannot be used at all."""


class Service:
    """One process; ask() may be called from one thread at a time."""

    def __init__(self, command, timeout=120.0):
        self.command = [str(word) for word in command]
        self.timeout = timeout
        self.process = None
        self.lines = None
        self.stderr = None
        self.answered = False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def ask(self, texts):
        """The answers to some lines, in order: text without line feed, or Crash."""
        texts = list(texts)
        answers = []
        while len(answers) < len(texts):
            rest = texts[len(answers):]
            got, crash = self._exchange(rest)
            answers += got
            if crash is None:
                continue
            if crash.hung:
                if not self.answered:
                    raise ServiceError(f"{' '.join(self.command)}: {crash}")
                answers.append(crash)
                continue
            # A program that works on several lines at once may have died on a later line, so the next
            # line is tried alone.
            alone, crash_alone = self._exchange(rest[len(got):len(got) + 1])
            answers.append(crash_alone if crash_alone else alone[0])
        return answers

    def close(self):
        """Ends the process, which gets a moment to exit by itself when its input ends."""
        process, self.process = self.process, None
        if process is None:
            return
        try:
            process.stdin.close()
        except OSError:
            pass
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        self.stderr.close()

    def _start(self):
        self.stderr = tempfile.TemporaryFile()
        try:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=self.stderr)
        except OSError as error:
            raise ServiceError(f"cannot start {' '.join(self.command)}: {error}") from None
        self.lines = queue.Queue()
        threading.Thread(target=_read, args=(self.process.stdout, self.lines), daemon=True).start()

    def _exchange(self, texts):
        """The answers to the first lines, and a Crash if the program died before it had answered all."""
        if self.process is None:
            self._start()
        writer = threading.Thread(target=_write, args=(self.process.stdin, texts), daemon=True)
        writer.start()
        answers = []
        while len(answers) < len(texts):
            try:
                line = self.lines.get(timeout=self.timeout)
            except queue.Empty:
                self.process.kill()
                return answers, self._died(f"no answer within {self.timeout:g} s "
                                           "(each answer must be flushed)", hung=True)
            if line is None:
                return answers, self._died("")
            answers.append(line)
            self.answered = True
        writer.join()
        return answers, None

    def _died(self, reason, hung=False):
        code = self.process.wait()
        self.stderr.seek(0)
        text = self.stderr.read().decode(errors="replace")
        self.close()
        if not reason:
            reason = (f"killed by signal {-code}" if code < 0 else f"exit code {code}") \
                + " before an answer"
        return Crash(reason, text, hung)


def _write(pipe, texts):
    try:
        for text in texts:
            pipe.write(text.encode() + b"\n")
        pipe.flush()
    except (OSError, ValueError):
        pass  # the reader sees the end of the output and reports it


def _read(pipe, lines):
    with pipe:
        for line in pipe:
            if not line.endswith(b"\n"):
                break  # the program died in the middle of it
            lines.put(line.rstrip(b"\r\n").decode(errors="replace"))
    lines.put(None)
