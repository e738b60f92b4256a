#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What libcannwatch.so may need and export. usage: library_test.py libcannwatch.so exports.map"""
import re
import subprocess
import sys


def readelf(*arguments):
    return subprocess.run(["readelf", "-W", *arguments], stdout=subprocess.PIPE, check=True, text=True).stdout


def main():
    library, exports = sys.argv[1:]
    failures = []
    needed = re.findall(r"NEEDED.*\[(.*)\]", readelf("-d", library))
    if not set(needed) <= {"libc.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}:
        failures.append("needs %s" % needed)
    versions = re.findall(r"Name: (GLIBC_\S+)", readelf("-V", library))
    for version in versions:
        numbers = re.match(r"GLIBC_(\d+)\.(\d+)", version)
        if not numbers or tuple(map(int, numbers.groups())) > (2, 28):
            failures.append("needs %s" % version)
    if not versions:
        failures.append("no version needs found: is this the right file?")
    wanted = set(re.findall(r"^\t\t(\w+);$", open(exports).read(), re.M))
    found = set()
    for line in readelf("--dyn-syms", library).splitlines():
        fields = line.split()
        if len(fields) == 8 and fields[4] in ("GLOBAL", "WEAK") and fields[6] != "UND":
            found.add(fields[7].split("@")[0])
    if found != wanted:
        failures.append("exports differ: %s" % sorted(found ^ wanted))
    if re.search(r"DW_CFA|\.eh_frame", readelf("-S", library)) is None:
        failures.append("no unwind tables")
    print("%d exported names, newest need %s" % (len(found), sorted(versions)[-1:]))
    for failure in failures:
        print("library_test: " + failure, file=sys.stderr)
    return 1 if failures else 0


sys.exit(main())
