#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adds up meson's test logs and ends with the line 'N passed, N failed, N skipped'.

usage: count.py [--broken N] [--skipped N] LOG.json...
Names what failed and, with the reason each test printed, what was skipped. Exit status 1 if anything failed.
"""
import json
import sys


def reason(entry):
    lines = (entry.get("stdout") or "").strip().splitlines() + (entry.get("stderr") or "").strip().splitlines()
    told = [line for line in lines if line.lower().startswith("skip")]
    return (told or lines or ["no reason given"])[-1]


def main(args):
    broken = 0
    if args[:1] == ["--broken"]:
        broken = int(args[1])
        args = args[2:]
    passed, failed, skipped = 0, broken, 0
    if args[:1] == ["--skipped"]:
        skipped = int(args[1])
        args = args[2:]
    if broken:
        print("%d builds failed" % broken)
    for path in args:
        try:
            with open(path, encoding="utf-8", errors="replace") as log:
                entries = [json.loads(line) for line in log if line.strip()]
        except (OSError, ValueError) as error:
            print("no test log: %s" % error)
            failed += 1
            continue
        for entry in entries:
            if entry["result"] in ("OK", "EXPECTEDFAIL"):
                passed += 1
            elif entry["result"] == "SKIP":
                skipped += 1
                print("skipped: %s: %s" % (entry["name"], reason(entry)))
            else:
                failed += 1
                print("failed: %s (%s)" % (entry["name"], entry["result"]))
    print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
    return 1 if failed or not passed else 0


sys.exit(main(sys.argv[1:]))
