#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A helper that leaves a mark: the program must not notice it, the mark must be right.

usage: helper_test.py shim_test libcannwatch.so
"""
import os
import re
import stat
import subprocess
import sys
import tempfile
import time

SCRIPT = """#!/bin/sh
{ echo "$@"; ls /proc/self/fd | tr '\\n' ' '; echo; env | grep -c ^LD_PRELOAD
grep -E '^Sig(Blk|Cgt)' /proc/self/status; } >> %s
exit %d
"""


def run(program, library, mode, status):
    with tempfile.TemporaryDirectory() as directory:
        mark, helper = os.path.join(directory, "mark"), os.path.join(directory, "helper")
        with open(helper, "w") as file:
            file.write(SCRIPT % (mark, status))
        os.chmod(helper, stat.S_IRWXU)
        done = subprocess.run([program, "helper", mode, mark], stderr=subprocess.PIPE, text=True,
                              env=dict(os.environ, LD_PRELOAD=library, CANNWATCH_HELPER=helper))
        text = open(mark).read() if os.path.exists(mark) else ""
        return done, text


def check(condition, what):
    if not condition:
        print("helper_test: " + what, file=sys.stderr)
    return not condition


def cut_short(program, library):
    """A program that ends while the helper looks at it takes the helper along."""
    with tempfile.TemporaryDirectory() as directory:
        mark, helper = os.path.join(directory, "mark"), os.path.join(directory, "helper")
        with open(helper, "w") as file:
            file.write("#!/bin/sh\necho $$ > %s\nexec sleep 20\n" % mark)
        os.chmod(helper, stat.S_IRWXU)
        done = subprocess.run([program, "helper", "leave", mark], stderr=subprocess.DEVNULL,
                              env=dict(os.environ, LD_PRELOAD=library, CANNWATCH_HELPER=helper))
        failures = check(done.returncode == 0, "a helper that takes long: the program noticed")
        text = open(mark).read() if os.path.exists(mark) else ""
        failures += check(text != "", "a helper that takes long was not started")
        for _ in range(50):
            if not text or not os.path.exists("/proc/" + text.strip()):
                return failures
            time.sleep(0.1)
        return failures + check(False, "the helper outlived the program")


def main():
    program, library = sys.argv[1:]
    failures = 0
    for mode in ("handle", "ignore", "leave"):
        for status in (10, 0, 1):
            done, text = run(program, library, mode, status)
            what = "%s, helper's status %d: " % (mode, status)
            failures += check(done.returncode == 0, what + "the program noticed: " + done.stderr)
            starts = re.findall(r"^attach --from-shim --ring-fd (\d+) --report-number 1( --recovered 1)? \d+$",
                                text, re.M)
            failures += check(len(starts) == (2 if status == 10 else 1), what + "helper started as " + text)
            failures += check(bool(starts) and starts[0][1] == "", what + "first start is no recovery")
            failures += check(status != 10 or starts[-1][1] != "", what + "the end was not reported")
            for numbers in re.findall(r"^((?:\d+ )+)$", text, re.M):
                left = set(numbers.split()) - {"0", "1", "2", "3", starts[0][0] if starts else ""}
                failures += check(not left, what + "descriptors left open: %s" % left)
            failures += check(re.search(r"^0$", text, re.M), what + "LD_PRELOAD is left")
            failures += check(re.search(r"SigBlk:\s+0+$", text, re.M), what + "signals are blocked")
            failures += check((status == 1) == ("the helper program failed" in done.stderr),
                              what + "stderr: " + done.stderr)
    failures += cut_short(program, library)
    # No helper at all: the shim says the one thing it knows.
    done = subprocess.run([program, "helper", "leave", program], stderr=subprocess.PIPE, text=True,
                          env=dict(os.environ, LD_PRELOAD=library, CANNWATCH_HELPER="/nonexistent"))
    failures += check(done.returncode == 0 and done.stderr.count("\n") == 1 and
                      "aclrtSynchronizeStream" in done.stderr and "CANNWATCH_HELPER" in done.stderr,
                      "without helper: " + done.stderr)
    return 1 if failures else 0


sys.exit(main())
