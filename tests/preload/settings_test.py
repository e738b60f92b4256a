#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Settings, and programs without CANN. usage: settings_test.py shim_test libcannwatch.so"""
import glob
import os
import subprocess
import sys
import time


def run(arguments, **variables):
    begin = time.time() - 0.1
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env=dict(os.environ, **variables))
    out, err = process.communicate()
    # A process with the same number may have left one long ago.
    rings = [ring for ring in glob.glob("/dev/shm/cannwatch-%d/%d-*.ring" % (os.geteuid(), process.pid))
             if os.stat(ring).st_mtime >= begin]
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
    for name, values in (("CANNWATCH_ON_HANG", ("", "kill", "signal:", "signal:0", "signal:65", "exec:")),
                         ("CANNWATCH_KEEP", ("yes", "")), ("CANNWATCH", ("maybe",))):
        for bad in values:
            seen = run([program, "tables"], LD_PRELOAD=library, **{name: bad})
            expect("%s=%s" % (name, bad), seen[0] == 0 and seen[2].count("\n") == 1 and name in seen[2], seen)
    for good in ("report", "abort", "signal:15", "exec:true"):
        seen = run([program, "tables"], LD_PRELOAD=library, CANNWATCH_ON_HANG=good)
        expect("CANNWATCH_ON_HANG=" + good, seen[0] == 0 and seen[2] == "", seen)
    seen = run(["/bin/true"], LD_PRELOAD=library, CANNWATCH_STALL="soon")
    expect("a program without CANN is told nothing", seen[2] == "", seen)
    seen = run([program, "tables"], LD_PRELOAD=library, CANNWATCH_STALL="3")
    expect("CANNWATCH_STALL=3", seen[0] == 0 and seen[2] == "", seen)
    for failure in failures:
        print("settings_test: " + failure, file=sys.stderr)
    return 1 if failures else 0


sys.exit(main())
