#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long from the forming of a hang to its report, the program's own clock against the report file.

usage: latency.py BUILD [--trials N] [--loaded]
Prints "name value unit" lines. --loaded keeps every core busy with something else. The peers that a user has today are
timeouts and are printed as such: HCCL's notify wait and torch_npu's watchdog.
"""
import argparse
import os
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
import harness  # noqa: E402


def trial(build, name):
    with harness.Program(build, [build.example(name)]) as program:
        formed = None
        while formed is None:
            formed = next((t for t, line in list(program.output) if "hanging" in line), None)
            time.sleep(0.002)
        program.wait_for(program.reports, 60, "a report")
        return time.monotonic() - formed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--loaded", action="store_true")
    args = parser.parse_args()
    build = harness.Build(args.build)
    burners = [subprocess.Popen(["sh", "-c", "while :; do :; done"])
               for _ in range((os.cpu_count() or 1) if args.loaded else 0)]
    try:
        for name in ("event_never_recorded", "wait_cycle"):
            seconds = [trial(build, name) for _ in range(args.trials)]
            label = "report_%s%s" % (name, "_loaded" if args.loaded else "")
            print("%s_median %.0f ms" % (label, 1000 * statistics.median(seconds)))
            print("%s_max %.0f ms" % (label, 1000 * max(seconds)))
    finally:
        for burner in burners:
            burner.kill()
    print("hccl_notify_wait_timeout 612000 ms")
    print("torch_npu_watchdog 600000 ms")


main()
