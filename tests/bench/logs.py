#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Log analysis beside grep and ripgrep: a big plog tree with one fault in its middle and many followers; many small files.

usage: logs.py TOOL [--mib N] [--followers N] [--ranks N] [--files N]
Prints "name value unit" lines. Everything is written below a temporary folder (TMPDIR) and removed.
"""
import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

# What CANN's guide tells to search for, as one expression per search.
SEARCHES = [r"\[ERROR\]", r"fault kernel_name=|kernelName:", r"Task run failed", r"lost heartbeat|RESOURCE_ALLOC_FAIL",
            r"ctx is NULL|context pointer null"]

INFO = [
    "[INFO] RUNTIME({pid},trainer):2026-05-17-{t} [stream.cc:1903] {tid} GetFinishedTaskIdBySqHead: stream_id={s}, sq_id={s}, sqHead={n}, nextTaskId=65535, finishedPos=0, endTaskId=0\n",
    "[INFO] RUNTIME({pid},trainer):2026-05-17-{t} [task_submit.cc:630] {tid} AllocTaskAndSendStars: device_id=0, ts_id=0, sq_id={s}, cq_id={s}, stream_id={s}, task_id={n}, task_type=0(KERNEL_AICORE), sendSqeNum=1, isNeedPostProc=1\n",
    "[DEBUG] ASCENDCL({pid},trainer):2026-05-17-{t} [operator.cpp:88]{tid} aclopExecuteV2: start to execute operator, op type = MatMulV2, inputs = 2, outputs = 1\n",
    "[INFO] GE({pid},trainer):2026-05-17-{t} [model_executor.cc:1204]{tid} ExecuteGraph: graph {n} iteration finished, cost 1834 us, memory in use 4294967296\n",
    "[EVENT] PROFILING({pid},trainer):2026-05-17-{t} [msprof_callback_impl.cpp:118] >>> (tid:{tid}) MsprofCtrlCallback called, type: 255\n",
]
FAULT = ("[ERROR] RUNTIME({pid},trainer):2026-05-17-12:00:00.000.100 [davinci_kernel_task.cc:1401]{tid} PrintErrorInfoForDavinciTask:"
         "Aicore kernel execute failed, device_id=3, stream_id=17, report_stream_id=17, task_id=4242, flip_num=0, "
         "fault kernel_name=BenchKernel_7f, fault kernel info ext=none, program id=9.\n")
FOLLOWER = ("[ERROR] RUNTIME({pid},trainer):2026-05-17-12:{m:02d}:{s:02d}.{n:03d}.000 [api_c.cc:794]{tid} rtStreamSynchronize:"
            "ErrCode=507015, desc=[aicore exception], InnerCode=0x715002a\n")


def block(pid, size):
    text, n = [], 0
    while size > 0:
        line = INFO[n % len(INFO)].format(pid=pid, tid=pid + n % 7, s=n % 40, n=n % 65535,
                                          t="%02d:%02d:%02d.%03d.%03d" % (n // 3600000 % 12, n // 60000 % 60, n // 1000 % 60, n % 1000, n % 997))
        text.append(line)
        size -= len(line)
        n += 1
    return "".join(text).encode()


def make_big(folder, mib, followers):
    """Sixteen processes; the fault in the middle of the eighth one's log, the followers behind it everywhere."""
    processes = 16
    for p in range(processes):
        path = os.path.join(folder, "log", "debug", "plog", "plog-%d_20260517100000000.log" % (5000 + p))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        data = block(5000 + p, 8 << 20)
        count = max(1, (mib << 20) // processes // len(data))
        mine = followers // processes
        with open(path, "wb") as f:
            for i in range(count):
                if p == 7 and i == count // 2:
                    f.write(FAULT.format(pid=5000 + p, tid=5001).encode())
                f.write(data)
                if i >= count // 2:
                    part = "".join(FOLLOWER.format(pid=5000 + p, tid=5000 + p, m=n // 60000 % 60, s=n // 1000 % 60, n=n % 1000)
                                   for n in range(mine // (count - count // 2)))
                    f.write(part.encode())


def make_many(folder, ranks, files):
    small = block(77, 4000)
    for i in range(files):
        rank = i % ranks
        path = os.path.join(folder, "rank-%d" % rank, "log", "run", "plog", "plog-%d_2026051710%07d.log" % (1000 + rank, i))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(small)
            if rank == ranks // 2 and i < ranks:
                f.write(FAULT.format(pid=1000 + rank, tid=5).encode())


def size_of(folder):
    return sum(os.path.getsize(os.path.join(d, n)) for d, _, names in os.walk(folder) for n in names)


def measure(command):
    """Best of three: seconds of processor time, wall seconds, peak resident MiB, output of the last run."""
    best = None
    for _ in range(3):
        start, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        p = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        output = p.stdout.read()
        _, _, usage = os.wait4(p.pid, 0)
        wall = time.monotonic() - start
        cpu = usage.ru_utime + usage.ru_stime
        del before
        if not best or cpu < best[0]:
            best = (cpu, wall, usage.ru_maxrss / 1024, output)
    return best


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--mib", type=int, default=2048)
    parser.add_argument("--followers", type=int, default=100000)
    parser.add_argument("--ranks", type=int, default=1024)
    parser.add_argument("--files", type=int, default=10000)
    a = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="bench-logs-")
    try:
        big, many = os.path.join(folder, "big"), os.path.join(folder, "many")
        make_big(big, a.mib, a.followers)
        size = size_of(big)
        print("tree %.2f GiB" % (size / (1 << 30)))
        cpu, wall, rss, output = measure([a.tool, "logs", big, "--json"])
        verdict = json.loads(output)["verdicts"][0]
        print("cannwatch %.2f GB/s-per-core" % (size / cpu / 1e9))
        print("cannwatch %.2f s (wall)" % wall)
        print("cannwatch %.1f MiB (peak resident)" % rss)
        print("answer %s %s, %d followers" % (verdict["class"], verdict["culprit"].get("kernel"),
                                             verdict.get("followers", {}).get("count", 0)))
        for name, base in (("grep", ["grep", "-rnE"]), ("ripgrep", ["rg", "-nuu", "-j1"])):
            if not shutil.which(base[0]):
                print("%s not installed" % name)
                continue
            total = total_wall = 0
            for search in SEARCHES:
                cpu, wall, _, _ = measure(base + [search, big])
                total += cpu
                total_wall += wall
            print("%s %.2f GB/s-per-core (%d searches one after the other)" % (name, size / total / 1e9, len(SEARCHES)))
            print("%s %.2f s (wall)" % (name, total_wall))
        shutil.rmtree(big)
        make_many(many, a.ranks, a.files)
        cpu, wall, rss, output = measure([a.tool, "logs", many, "--json"])
        verdict = json.loads(output)["verdicts"][0]
        print("%d-files-of-%d-ranks %.2f s (wall), %.1f MiB, %s on rank %s" % (
            a.files, a.ranks, wall, rss, verdict["class"], verdict["culprit"].get("rank")))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
