#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs `cannwatch logs` over cases with known answers, as they are and damaged in the ways logs are in the field.

usage: run.py TOOL CASES [--only TEXT] [--plain]

A case: input/ and expected.json ({"first": {"class": [..], "culprit": {..}}, "forbid": [..], "clean": bool}; "rank|device"
means either field, {"any_of": [..]} one of the values). Checks class, culprit, forbidden classes, exit status and that every
piece of evidence stands where it is said to stand. --plain: without the deviations. Standard library only.
"""
import argparse
import gzip
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile

PLACE = rb"(\.(?:cc|cpp|c):\d+\] ?)(\d+) "


def lines(data, change):
    return b"\n".join(change(l) if l else l for l in data.split(b"\n"))


def is_log(data):
    return b"[ERROR] " in data or b"[INFO] " in data


def wrap(width):
    def change(data):
        if not is_log(data):
            return data
        return lines(data, lambda l: b"\n".join(l[i:i + width] for i in range(0, len(l), width)))
    return change


def glue(data):
    out = []
    for line in data.split(b"\n"):
        if out and line.startswith(b"[ERROR] ") and re.match(rb"\[ERROR\] \w+\(", out[-1]) and len(out) % 2:
            out[-1] += line
        else:
            out.append(line)
    return b"\n".join(out)


def coloured(line):
    return b"\x1b[31m" + line + b"\x1b[0m" if line.startswith(b"[ERROR]") else line


# Each is a way of writing the same facts. The answer must stay.
DEVIATIONS = {
    "crlf": lambda d: d.replace(b"\n", b"\r\n"),
    "blank-lines": lambda d: d.replace(b"\n", b"\n\n") if is_log(d) else d,
    "no-space": lambda d: re.sub(rb"\] (?=[A-Z]+\()", b"]", d),
    "tabs": lambda d: re.sub(rb"(\d{3}\.\d{3}) \[", rb"\1\t[", d),
    "zero": lambda d: d.replace(b"[ERROR] ", b"[ERR0R] "),
    "colour": lambda d: lines(d, coloured),
    "byte-order-mark": lambda d: b"\xef\xbb\xbf" + d,
    "no-last-newline": lambda d: d.rstrip(b"\n"),
    "kubernetes": lambda d: lines(d, lambda l: b"2026-05-17T05:47:25.123456789Z stdout F " + l) if is_log(d) else d,
    "grep": lambda d: lines(d, lambda l: b"log/debug/plog/plog-1.log:7:" + l) if is_log(d) else d,
    "compose": lambda d: lines(d, lambda l: b"worker-1: " + l) if is_log(d) else d,
    "worker": lambda d: lines(d, lambda l: b"(Worker_TP0 pid=99) ERROR 05-17 05:47:25 [core.py:711] " + l)
    if b"[ERROR] " in d and b"[INFO]" not in d and b"[WARNING]" not in d else d,
    "glued": glue,
    "wrapped-80": wrap(80),
    "wrapped-120": wrap(120),
    "name-empty": lambda d: re.sub(rb"\((\d+),[^)\n]*\):", rb"(\1,):", d),
    "name-none": lambda d: re.sub(rb"\((\d+),[^)\n]*\):", rb"(\1,None):", d),
    "tid-bracket": lambda d: re.sub(PLACE, rb"\1[\2]", d),
    "tid-word": lambda d: re.sub(PLACE, rb"\1(tid:\2) ", d),
    "tid-twice": lambda d: re.sub(PLACE, rb"\1\2 \2 ", d),
    "time-broken": lambda d: re.sub(rb"(:2026-\d\d-\d\d-\d\d:\d\d:\d\d)\.(\d+)\.(\d+) \[", rb"\1.\2 .\3 [", d),
}


def pack_tar(source, target):
    with tarfile.open(os.path.join(target, "logs.tar.gz"), "w:gz") as tar:
        tar.add(source, arcname="logs")


def pack_zip(source, target):
    with zipfile.ZipFile(os.path.join(target, "logs.zip"), "w", zipfile.ZIP_DEFLATED) as archive:
        for folder, _, names in os.walk(source):
            for name in names:
                path = os.path.join(folder, name)
                archive.write(path, os.path.relpath(path, source))


def pack_gz(source, target):
    for folder, _, names in os.walk(source):
        for name in names:
            path = os.path.join(target, os.path.relpath(os.path.join(folder, name), source)) + ".gz"
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(os.path.join(folder, name), "rb") as f, gzip.open(path, "wb") as g:
                g.write(f.read())


PACKS = {"tar.gz": pack_tar, "zip": pack_zip, "gz": pack_gz}


def norm(value):
    if isinstance(value, str):
        try:
            return float(int(value, 0))
        except ValueError:
            return value
    return float(value) if isinstance(value, (int, float)) else json.dumps(value)


def as_set(value):
    return {norm(v) for v in value} if isinstance(value, list) else {norm(value)}


def equal(want, got):
    if isinstance(want, dict):
        return any(equal(w, got) for w in want["any_of"])
    return as_set(want) == as_set(got)


def squeeze(text):
    return "".join(c for c in text if c.isalnum())


def check_evidence(verdicts):
    for verdict in verdicts:
        if verdict["kind"] in ("hang", "fault") and not verdict["evidence"]:
            yield "%s has no evidence" % verdict["class"]
        for e in verdict["evidence"]:
            try:
                with open(e["file"], "rb") as f:
                    line = f.read().split(b"\n")[e["line"] - 1].decode("utf-8", "replace")
            except (OSError, IndexError, KeyError):
                yield "evidence %s is not there" % e
                continue
            if squeeze(e["text"])[:40] not in squeeze(line):
                yield "evidence %s:%d does not hold %r" % (e["file"], e["line"], e["text"][:60])


def check(expected, status, report, packed):
    verdicts = report["verdicts"]
    classes = [v["class"] for v in verdicts]
    for name in expected.get("forbid", []):
        if name in classes:
            yield "%s must not be named" % name
    if not packed:
        yield from check_evidence(verdicts)
    if expected.get("clean"):
        if status != 0 or any(v["kind"] in ("hang", "fault") for v in verdicts):
            yield "is clean, came %s, exit %d" % (classes, status)
        return
    if not classes or classes[0] not in expected["first"]["class"]:
        yield "expected %s, came %s" % (expected["first"]["class"], classes)
        return
    kinds = {v["kind"] for v in verdicts}
    want = 10 if kinds & {"hang", "fault"} else 11 if kinds & {"misuse", "slow", "unknown"} else 0
    if status != want:
        yield "exit %d with %s" % (status, classes)
    culprit = verdicts[0]["culprit"]
    for field, value in expected["first"]["culprit"].items():
        if not any(f in culprit and equal(value, culprit[f]) for f in field.split("|")):
            yield "%s %s = %s, came %s" % (classes[0], field, value, culprit)
    if "next_has" in expected and not any(expected["next_has"] in n for n in verdicts[0]["next"]):
        yield "next does not say %r: %s" % (expected["next_has"], verdicts[0]["next"])


def run(tool, path, expected, packed):
    try:
        p = subprocess.run([tool, "logs", path, "--json"], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        report = json.loads(p.stdout.decode("utf-8"))
    except (subprocess.TimeoutExpired, ValueError) as e:
        return ["no report: %s" % e]
    return list(check(expected, p.returncode, report, packed))


def deviate(source, target, change):
    """Copies source to target with the change made to every file; True if anything changed."""
    changed = False
    for folder, _, names in os.walk(source):
        for name in names:
            with open(os.path.join(folder, name), "rb") as f:
                data = f.read()
            path = os.path.join(target, os.path.relpath(os.path.join(folder, name), source))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            new = change(data)
            changed |= new != data
            with open(path, "wb") as f:
                f.write(new)
    return changed


def run_case(tool, case, plain):
    """Yields (name, complaints)."""
    with open(os.path.join(case, "expected.json"), encoding="utf-8") as f:
        expected = json.load(f)
    ways = {"": lambda d: d}
    if not plain:
        ways.update({k: v for k, v in DEVIATIONS.items() if k not in expected.get("skip", [])})
    for name, change in ways.items():
        with tempfile.TemporaryDirectory(prefix="corpus-") as tmp:
            path = os.path.join(tmp, "input")
            if deviate(os.path.join(case, "input"), path, change) or not name:
                yield name, run(tool, path, expected, False)
    for name, pack in ({} if plain else PACKS).items():
        with tempfile.TemporaryDirectory(prefix="corpus-") as tmp:
            pack(os.path.join(case, "input"), tmp)
            yield name, run(tool, tmp, expected, True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("cases")
    parser.add_argument("--only", default="")
    parser.add_argument("--plain", action="store_true")
    arguments = parser.parse_args()
    passed = failed = 0
    for name in sorted(os.listdir(arguments.cases)):
        case = os.path.join(arguments.cases, name)
        if arguments.only not in name or not os.path.isfile(os.path.join(case, "expected.json")):
            continue
        for way, complaints in run_case(os.path.abspath(arguments.tool), case, arguments.plain):
            if complaints:
                failed += 1
                print("%s %s: %s" % (name, way, "; ".join(complaints)))
            else:
                passed += 1
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0 or not passed


if __name__ == "__main__":
    sys.exit(main())
