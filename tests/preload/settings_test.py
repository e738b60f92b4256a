#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Settings, and programs without CANN. usage: settings_test.py shim_test libcannwatch.so"""
import glob
import os
import subprocess
import sys


def run(arguments, **variables):
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env=dict(os.environ, **variables))
    out, err = process.communicate()
    rings = glob.glob("/dev/shm/cannwatch-%d/%d-*.ring" % (os.geteuid(), process.pid))
    return process.returncode, out, err, rings


def main():
    program, library = sys.argv[1:]
    failures = []

    def expect(what, condition, seen):
        if not condition:
            failures.append("%s: %s" % (what, seen))

    for arguments in (["/bin/true"], ["/bin/sh", "-c", "exit 7"], [program, "plain"]):
        seen = run(arguments, LD_PRELOAD=library)
        plain = run(arguments)
        expect("without CANN", seen == plain and not seen[3], seen)
    seen = run([program, "tables"], LD_PRELOAD=library)
    expect("clean exit removes the ring", seen[0] == 0 and not seen[3], seen)
    seen = run([program, "tables"], LD_PRELOAD=library, CANNWATCH_KEEP="1")
    expect("kept ring", seen[0] == 0 and len(seen[3]) == 1, seen)
    for ring in seen[3]:
        os.unlink(ring)
    seen = run([program, "pass"], LD_PRELOAD=library, CANNWATCH="off")
    expect("switched off", seen[0] == 0 and seen[2] == "" and not seen[3], seen)
    seen = run([program, "tables"], LD_PRELOAD=library, CANNWATCH="off")
    expect("switched off: no ring to look into", seen[0] != 0, seen)
    for bad in ("0", "-1", "soon", "", "1e3", "99999999999999999999"):
        seen = run([program, "tables"], LD_PRELOAD=library, CANNWATCH_STALL=bad)
        expect("CANNWATCH_STALL=" + bad, seen[0] == 0 and seen[2].count("\n") == 1 and "CANNWATCH_STALL" in seen[2],
               seen)
    seen = run([program, "tables"], LD_PRELOAD=library, CANNWATCH_STALL="3")
    expect("CANNWATCH_STALL=3", seen[0] == 0 and seen[2] == "", seen)
    for failure in failures:
        print("settings_test: " + failure, file=sys.stderr)
    return 1 if failures else 0


sys.exit(main())
