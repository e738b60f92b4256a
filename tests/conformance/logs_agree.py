# SPDX-License-Identifier: Apache-2.0
"""The files that the simulator writes after a timeout lead to the verdict that was given live.

usage: logs_agree.py CANNWATCH SHIM TIMED_OUT KERNEL_LIBRARY LIBRARY_DIRECTORY WAY
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

PATIENCE_S = 90


def verdict_of(report):
    return report["verdicts"][0] if report.get("verdicts") else {"class": None, "culprit": {}}


def live_verdict(shim, program, kernels, libraries, way, work):
    """The last report of a hang while it lasted: later ones know more."""
    env = dict(os.environ, LD_LIBRARY_PATH=libraries, ASCEND_WORK_PATH=work, CANNWATCH_DIR=work + "/live",
               CANNWATCH_STALL="3", ASCEND_GLOBAL_LOG_LEVEL="3", LD_PRELOAD=shim)
    for name in ("ASCEND_PROCESS_LOG_PATH", "CANNSIM_FAULT"):
        env.pop(name, None)
    os.mkdir(work + "/live")
    done = subprocess.run([program, way, kernels], env=env, capture_output=True, text=True, timeout=PATIENCE_S)
    if done.returncode != 0 or "ended=" not in done.stdout:
        sys.exit("the program did not time out: %d %s %s" % (done.returncode, done.stdout, done.stderr))
    reports = []
    for path in sorted(glob.glob(work + "/live/*.json")):
        with open(path, encoding="utf-8") as f:
            reports.append(json.load(f))
    hangs = [v for v in map(verdict_of, reports) if v.get("kind") == "hang"]
    if not hangs:
        sys.exit("no live verdict; stderr: " + done.stderr)
    return hangs[-1]


def logs_verdict(tool, work):
    done = subprocess.run([tool, "logs", "--json", work + "/log", work + "/atrace"], capture_output=True, text=True,
                          timeout=PATIENCE_S)
    if not done.stdout:
        sys.exit("cannwatch logs: %d %s" % (done.returncode, done.stderr))
    return verdict_of(json.loads(done.stdout))


def main():
    tool, shim, program, kernels, libraries, way = sys.argv[1:]
    with tempfile.TemporaryDirectory() as work:
        live = live_verdict(shim, program, kernels, libraries, way, work)
        os.makedirs(work + "/atrace", exist_ok=True)
        logs = logs_verdict(tool, work)
    print("live: %s %s" % (live["class"], live.get("culprit")))
    print("logs: %s %s" % (logs["class"], logs.get("culprit")))
    if live["class"] != way or logs["class"] != way:
        return 1
    # what both name they must name alike, and the stream is named by both unless the ring has many
    common = set(live["culprit"]) & set(logs["culprit"]) - {"pid", "tid", "thread", "api", "rank", "kernel"}
    differing = [k for k in common if live["culprit"][k] != logs["culprit"][k]]
    if differing or not (common or way == "wait-cycle"):
        print("culprits differ: %s" % differing)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
