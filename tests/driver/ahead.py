"""Builds ahead: what later parts need is compiled while earlier parts keep one core busy at most.

Most parts after the unit tests run one program at a time. The builds run one after the other at a low
priority, so that the tests come first, and a part that needs one of them waits for it.
"""

import concurrent.futures
import os
import subprocess
import tempfile

_builds = {}  # name -> Future of an exit code and output
_cpu = 0.0


def start(commands, **options):
    """Begins to run {name: command} in order; `options` are those of subprocess.Popen."""
    worker = concurrent.futures.ThreadPoolExecutor(1)
    for name, command in commands.items():
        _builds[name] = worker.submit(_run, command, options)
    worker.shutdown(wait=False)


def take(name):
    """Waits for a build that was started: its exit code and output, or None if it was not."""
    build = _builds.pop(name, None)
    return build.result() if build else None


def cpu():
    """The CPU time of the builds that have ended, in seconds."""
    return _cpu


def stop():
    """Gives up the builds that have not begun."""
    for build in _builds.values():
        build.cancel()


def _run(command, options):
    global _cpu
    # The output goes to a file rather than a pipe, because wait4(), which tells the CPU time, does not read.
    with tempfile.TemporaryFile() as output:
        try:
            process = subprocess.Popen(["nice", "-n", "10", *command], stdout=output, stderr=subprocess.STDOUT,
                                       stdin=subprocess.DEVNULL, **options)
        except OSError as error:
            return 127, str(error)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        _cpu += used.ru_utime + used.ru_stime
        output.seek(0)
        return process.returncode, output.read().decode(errors="replace")
