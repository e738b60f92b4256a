#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the fuzz targets with clang and runs each for a while over the corpus.

usage: run.py SOURCE-ROOT WORK-FOLDER [--seconds N] [--planted] [--coverage] [--only NAME]

--planted builds with a planted out-of-bounds read (-DFUZZ_PLANTED) and expects every target to find it.
--coverage prints the share of its parser's lines that each target covers. Exit 77 (skip) without clang or libFuzzer.
"""
import argparse
import glob
import os
import shutil
import subprocess
import sys

TARGETS = {
    "schedule_tracer": "schedule_tracer.c", "runtime_trace": "runtime_trace.c", "compile_trace": "compile_trace.c",
    "stack_text": "stack_text.c", "device_log": "device_log.c", "record": "statement.c", "logs": None,
}


def sources(root, whole):
    folder = os.path.join(root, "analyzer")
    files = [os.path.join(folder, "sources", n) for n in (
        "compile_trace.c", "device_log.c", "literal_set.c", "log_feed.c", "log_source.c", "phrase.c", "record.c",
        "runtime_trace.c", "schedule_tracer.c", "span.c", "stack_text.c", "statement.c")]
    files += [os.path.join(folder, "model", n) for n in ("model.c", "observation.c", "util.c")]
    if whole:
        files += [os.path.join(folder, "sources", n) for n in ("recognise.c", "log_tree.c")]
        files += [os.path.join(folder, "model", n) for n in ("report.c", "verdict.c")]
        files += glob.glob(os.path.join(folder, "diagnose", "*.c")) + glob.glob(os.path.join(folder, "codes", "*.c"))
    return files


def build(root, work, name, flags):
    target = os.path.join(work, "fuzz_" + name)
    main = "fuzz_logs.c" if name == "logs" else "fuzz_source.c"
    command = ["clang", "-std=gnu11", "-g", "-O1", "-D_GNU_SOURCE", "-DFUZZ_SOURCE=%s_source" % name, "-I", root,
               "-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=undefined"] + flags
    command += [os.path.join(root, "tests", "fuzz", main)] + sources(root, name == "logs") + ["-o", target]
    subprocess.run(command, check=True)
    return target


def seed(root, work):
    """The corpus as flat files; the fuzzer keeps what it finds in another folder."""
    folder = os.path.join(work, "seeds")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for i, path in enumerate(glob.glob(os.path.join(root, "tests", "corpus", "cases", "*", "input", "**"), recursive=True)):
        if os.path.isfile(path):
            shutil.copy(path, os.path.join(folder, str(i)))
    return folder


def fuzz(target, work, seeds, seconds):
    found = os.path.join(work, "found_" + os.path.basename(target))
    os.makedirs(found, exist_ok=True)
    p = subprocess.run([target, found, seeds, "-max_total_time=%d" % seconds, "-max_len=4096", "-timeout=10",
                        "-rss_limit_mb=2048", "-artifact_prefix=%s/" % work, "-verbosity=0", "-print_final_stats=1"],
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                       env=dict(os.environ, LLVM_PROFILE_FILE=target + ".profraw"))
    return p.returncode, p.stdout


def coverage(target, source):
    profile, raw = target + ".profdata", target + ".profraw"
    tools = {t: shutil.which(t) or shutil.which(t + "-14") for t in ("llvm-profdata", "llvm-cov")}
    if not all(tools.values()):
        return "no llvm tools"
    subprocess.run([tools["llvm-profdata"], "merge", "-o", profile, raw], check=True)
    p = subprocess.run([tools["llvm-cov"], "report", target, "-instr-profile", profile, source],
                       stdout=subprocess.PIPE, text=True, check=True)
    total = [l for l in p.stdout.splitlines() if l.startswith("TOTAL")]
    return total[0].split()[9] if total else "?"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root")
    parser.add_argument("work")
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--planted", action="store_true")
    parser.add_argument("--coverage", action="store_true")
    parser.add_argument("--only", default="")
    a = parser.parse_args()
    probe = subprocess.run(["clang", "-fsanitize=fuzzer", "-x", "c", "-", "-o", "/dev/null"], stderr=subprocess.DEVNULL,
                           input=b"#include <stddef.h>\n#include <stdint.h>\nint LLVMFuzzerTestOneInput(const uint8_t *d, size_t n)"
                           b"{ (void)d; (void)n; return 0; }\n") if shutil.which("clang") else None
    if not probe or probe.returncode:
        print("no clang with libFuzzer")
        return 77
    os.makedirs(a.work, exist_ok=True)
    seeds = seed(a.root, a.work)
    failed = count = 0
    flags = (["-DFUZZ_PLANTED"] if a.planted else []) + \
            (["-fprofile-instr-generate", "-fcoverage-mapping"] if a.coverage else [])
    for name, source in TARGETS.items():
        # The whole way reads into one large window: a read past a line's end shows in the parsers' own targets.
        if a.only not in name or (a.planted and name == "logs"):
            continue
        count += 1
        target = build(a.root, a.work, name, flags)
        status, text = fuzz(target, a.work, seeds, a.seconds)
        runs = [l.split()[-1] for l in text.splitlines() if "number_of_executed_units" in l]
        good = (status != 0 and "heap-buffer-overflow" in text) if a.planted else status == 0
        failed += not good
        extra = ""
        if a.coverage and source:
            extra = ", %s of the lines of %s" % (coverage(target, os.path.join(a.root, "analyzer", "sources", source)), source)
        print("%s: %s%s%s" % (name, "ok" if good else "FAILED", ", %s runs" % runs[0] if runs else "", extra), flush=True)
        if not good:
            print(text[-4000:])
    print("%d passed, %d failed" % (count - failed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
