# SPDX-License-Identifier: Apache-2.0
"""Names that an older toolkit lacks are not there, and programs run on it all the same.

usage: older.py OLDER_DIRECTORY CLASSIC_DIRECTORY SEMANTICS KERNEL_LIBRARY BLOCKED
"""
import glob
import os
import signal
import subprocess
import sys
import tempfile
import time

ABSENT = {"libascendcl.so": ["aclrtMemcpyToSymbol", "aclrtLaunchKernelWithArgsArray"],
          "libascend_trace.so": ["AtraceSubmit", "AtraceCreate", "AtraceEventReportSync"],
          "libascend_hal.so": ["halCqReportRecv"]}
PRESENT = {"libascendcl.so": ["aclrtSetDevice", "aclrtStreamGetId"], "libascend_trace.so": ["AtraceSetGlobalAttr"],
           "libascend_hal.so": ["halSqCqQuery", "halSqTaskSend"]}
LOOK = "import ctypes,sys\nl=ctypes.CDLL(sys.argv[1])\nprint(*[int(hasattr(l, n)) for n in sys.argv[2:]])"


def found(directory, library, names, env):
    done = subprocess.run([sys.executable, "-c", LOOK, os.path.join(directory, library)] + names, env=env,
                          capture_output=True, text=True, check=True)
    return [bool(int(x)) for x in done.stdout.split()]


def ring_written(blocked, env, work):
    env = dict(env, ASCEND_WORK_PATH=work)
    process = subprocess.Popen([blocked, "sync"], env=env, stdout=subprocess.PIPE, text=True)
    try:
        process.stdout.readline()
        time.sleep(0.5)
        os.kill(process.pid, signal.SIGRTMIN + 1)
        for _ in range(100):
            if glob.glob(work + "/atrace/*/*/stackcore_tracer_*"):
                break
            time.sleep(0.1)
        time.sleep(1)
        assert glob.glob(work + "/atrace/*/*/stackcore_tracer_*"), "no stackcore"
        return bool(glob.glob(work + "/atrace/*/*/schedule_tracer_RUNTIME*"))
    finally:
        process.kill()
        process.wait()


def main():
    older, classic, semantics, kernels, blocked = sys.argv[1:]
    env = {k: v for k, v in os.environ.items() if not k.startswith("CANNSIM") and not k.startswith("LD_")}
    env["LD_LIBRARY_PATH"] = older + ":" + classic
    whole = dict(env, LD_LIBRARY_PATH=classic)
    for library, names in ABSENT.items():
        assert not any(found(older, library, names, env)), library
        assert all(found(classic, library, names, whole)), library
    for library, names in PRESENT.items():
        assert all(found(older, library, names, env)), library
    for case in ("kernels_run_in_order", "value_wait_held_until_written", "graph_executed_again"):
        done = subprocess.run([semantics, kernels, case], env=env, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stdout + done.stderr
    with tempfile.TemporaryDirectory() as work:
        assert not ring_written(blocked, env, work), "a ring without a feed"
    with tempfile.TemporaryDirectory() as work:
        assert ring_written(blocked, whole, work), "no ring with a feed"
    print("names absent, programs run")


if __name__ == "__main__":
    main()
