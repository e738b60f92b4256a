# SPDX-License-Identifier: Apache-2.0
"""What the end-to-end tests share: start a program under the shim, read its ids, its stderr and its reports.

Every test gets a directory of its own; nothing is kept. Standard library only.
"""
import atexit
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

SKIP = 77
# Under a sanitizer its library must come first in LD_PRELOAD; it then stands between us and pthread_create.
SANITIZER = os.environ.get("CANNWATCH_TEST_PRELOAD_FIRST", "")
WORK_PATH = tempfile.mkdtemp(prefix="cannwatch-e2e-ascend-")
atexit.register(shutil.rmtree, WORK_PATH, True)
PATIENCE = float(os.environ.get("CANNWATCH_TEST_PATIENCE", "60"))


class Failure(Exception):
    pass


def check(condition, text):
    if not condition:
        raise Failure(text)


def skip(reason):
    print("skipped: " + reason)
    sys.exit(SKIP)


class Build:
    """The build tree under test."""

    def __init__(self, path):
        self.path = os.path.abspath(path)
        self.tool = os.path.join(self.path, "cli", "cannwatch")
        self.shim = os.path.join(self.path, "preload", "libcannwatch.so")
        self.simulator = os.path.join(self.path, "simulator")

    def example(self, name):
        return os.path.join(self.path, "examples", name)


def clean_environment(extra=None):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("CANNWATCH", "LD_"))
           or k.startswith("CANNWATCH_TEST")}
    if SANITIZER:
        env["LD_PRELOAD"] = SANITIZER
    env["ASCEND_WORK_PATH"] = WORK_PATH  # what the runtime itself writes
    env["ASCEND_PROCESS_LOG_PATH"] = os.path.join(WORK_PATH, "log")
    env.update(extra or {})
    return env


class Program:
    """A program under the shim (or without it), watched line by line."""

    def __init__(self, build, argv, env=None, shim=True, cwd=None):
        environment = clean_environment(env)
        if shim:
            environment["LD_PRELOAD"] = (SANITIZER + ":" if SANITIZER else "") + build.shim
        self.cwd = cwd or tempfile.mkdtemp(prefix="cannwatch-e2e-")
        self.own_cwd = cwd is None
        self.lines = []   # (monotonic time, text) of stderr
        self.output = []  # of stdout
        self.process = subprocess.Popen(argv, env=environment, cwd=self.cwd, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        errors="replace")
        self.readers = [threading.Thread(target=self._read, args=(self.process.stderr, self.lines), daemon=True),
                        threading.Thread(target=self._read, args=(self.process.stdout, self.output), daemon=True)]
        for reader in self.readers:
            reader.start()

    @staticmethod
    def _read(stream, into):
        for line in stream:
            into.append((time.monotonic(), line.rstrip("\n")))

    @property
    def pid(self):
        return self.process.pid

    def values(self):
        """All key=value words the program has printed so far; a later one wins."""
        found = {}
        for _, line in list(self.output):
            for word in line.split():
                key, equals, value = word.partition("=")
                if equals:
                    found[key] = value
        return found

    def wait_for(self, what, seconds=None, describe="condition"):
        """Polls until what() is true; returns its value."""
        end = time.monotonic() + (seconds or PATIENCE)
        while True:
            value = what()
            if value:
                return value
            if time.monotonic() > end:
                raise Failure("%s did not come within %g s; stderr: %s; stdout: %s" % (
                    describe, seconds or PATIENCE, self.stderr()[-2000:], self.stdout()[-500:]))
            time.sleep(0.01)

    def wait_for_output(self, word):
        return self.wait_for(lambda: next((t for t, line in list(self.output) if word in line), None),
                             describe="'%s' on stdout" % word)

    def reports(self):
        return sorted(glob.glob(os.path.join(self.cwd, "cannwatch-*.json")))

    def report(self, number=1, seconds=None):
        """The report with this number, as soon as it is there."""
        pattern = os.path.join(self.cwd, "cannwatch-*-%d-%d.json" % (self.pid, number))
        path = self.wait_for(lambda: glob.glob(pattern), seconds, "report %d" % number)[0]
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    def stderr(self):
        return "\n".join(line for _, line in list(self.lines))

    def stdout(self):
        return "\n".join(line for _, line in list(self.output))

    def end(self, seconds=None):
        """Waits for the program to end by itself; returns its status."""
        try:
            status = self.process.wait(seconds or PATIENCE)
        except subprocess.TimeoutExpired:
            raise Failure("the program did not end; stderr: %s" % self.stderr()[-2000:])
        for reader in self.readers:
            reader.join(5)
        return status

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        for reader in self.readers:
            reader.join(5)
        if self.own_cwd:
            shutil.rmtree(self.cwd, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()


def tool(build, *args, env=None, seconds=60, cwd=None):
    """Runs cannwatch; returns (status, stdout, stderr)."""
    done = subprocess.run([build.tool] + list(args), env=clean_environment(env), stdin=subprocess.DEVNULL, cwd=cwd,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=seconds, text=True, errors="replace")
    return done.returncode, done.stdout, done.stderr


def attach(build, pid):
    """cannwatch attach PID --json; returns (status, report)."""
    status, out, err = tool(build, "attach", "--json", str(pid))
    check(status in (0, 10, 11), "attach ended with %d: %s" % (status, err))
    return status, json.loads(out)


def first(report):
    check(report["verdicts"], "no verdict in the report")
    return report["verdicts"][0]


def number(text):
    return int(text, 0)


def main(cases):
    """Runs the cases named on the command line (all without names) against the build tree in argv[1]."""
    build = Build(sys.argv[1])
    wanted = sys.argv[2:]
    for path in (build.tool, build.shim):
        if not os.path.exists(path):
            print("missing: " + path)
            sys.exit(1)
    failed = 0
    for case in cases:
        name = case.__name__
        if wanted and name not in wanted:
            continue
        begin = time.monotonic()
        try:
            case(build)
            print("ok   %s (%.1f s)" % (name, time.monotonic() - begin))
        except Failure as failure:
            failed += 1
            print("FAIL %s: %s" % (name, failure))
        sys.stdout.flush()
    sys.exit(1 if failed else 0)
