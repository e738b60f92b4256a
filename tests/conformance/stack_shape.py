# SPDX-License-Identifier: Apache-2.0
"""What a blocked program's stack looks like, from the stackcore that signal 35 writes.

usage: stack_shape.py BLOCKED LIBRARY_DIRECTORY split|classic
"""
import glob
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

R = "_ZN3cce7runtime"
# innermost first, as the real runtime's stacks show them
SPLIT = {
    "sync": ["__sched_yield", R + "6Stream20SynchronizeDelayTimeEtt",
             R + "6Stream23SynchronizeExecutedTaskEjRK10mmTimespeci", R + "6Stream15SynchronizeImplEjti",
             R + "6Stream11SynchronizeEbi", R + "7ApiImpl17StreamSynchronizeEPNS0_6StreamEi",
             R + "17ApiErrorDecorator17StreamSynchronizeEPNS0_6StreamEi", "rtStreamSynchronize",
             "aclrtSynchronizeStreamImpl"],
    "event": ["__sched_yield", R + "6Stream20SynchronizeDelayTimeEtt", R + "5Event11SynchronizeEi",
              R + "17ApiErrorDecorator16EventSynchronizeEPNS0_5EventE", "rtEventSynchronize",
              "aclrtSynchronizeEventImpl"],
    "device": ["__sched_yield", R + "6Stream20SynchronizeDelayTimeEtt", R + "7Context11SynchronizeEi",
               R + "17ApiErrorDecorator17DeviceSynchronizeEv", "rtDeviceSynchronize",
               "aclrtSynchronizeDeviceImpl"],
    "submit": ["__sched_yield", R + "16DirectHwtsEngine11SendingWaitEPNS0_6StreamERh",
               R + "6Engine8SendTaskEPNS0_15tagTaskInfoStruERtPj",
               R + "16DirectHwtsEngine10SubmitSendEPNS0_15tagTaskInfoStruEPj",
               R + "6Engine16SubmitTaskNormalEPNS0_15tagTaskInfoStruEPj",
               R + "6Engine10SubmitTaskEPNS0_15tagTaskInfoStruEPji"],
}
CLASSIC_TAIL = {"sync": ["rtStreamSynchronize", "aclrtSynchronizeStream"],
                "event": ["rtEventSynchronize", "aclrtSynchronizeEvent"],
                "device": ["rtDeviceSynchronize", "aclrtSynchronizeDevice"],
                "submit": ["rtMemsetAsync", "aclrtMemsetAsync"]}
THREADS = {"PlogFlush", "AtraceMonitor", "davinci_dev0", "MONITOR_0", "REPORT_RAS", "RT_RECYCLE_0"}
DEADLINE_S = 30


def stackcore_get(program, way, libraries, work):
    env = dict(os.environ, LD_LIBRARY_PATH=libraries, ASCEND_WORK_PATH=work)
    env.pop("CANNSIM_SYNC", None)
    process = subprocess.Popen([program, way], env=env, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "blocking\n"
        time.sleep(1)
        os.kill(process.pid, signal.SIGRTMIN + 1)  # 35
        end = time.monotonic() + DEADLINE_S
        while time.monotonic() < end:
            for path in glob.glob(work + "/atrace/*/stackcore_event_*/stackcore_tracer_35_*"):
                with open(path, encoding="utf-8", errors="replace") as f:
                    text = f.read()
                if "[stack]\n" in text.partition("[maps]")[2]:  # near the end of the mappings
                    assert process.poll() is None, "the program did not survive signal 35"
                    return text
            time.sleep(0.1)
        raise AssertionError("no stackcore")
    finally:
        process.kill()
        process.wait()


def threads_of(text):
    found = {}
    for part in re.split(r"^Thread \d+ ", text.split("[maps]")[0], flags=re.M)[1:]:
        name = re.match(r"\(\d+, (.*)\)", part).group(1)
        found.setdefault(name, re.findall(r"^#\d+ 0x\w+ 0x\w+ \S+(?: \((\S+)\))?$", part, re.M))
    return found


def has_run(frames, wanted):
    named = [f for f in frames if f]
    return any(named[i:i + len(wanted)] == wanted for i in range(len(named)))


SAMPLES = 5  # a thread that spins is caught at its turning point now and then


def look(program, libraries, layout, way):
    """One sample: whether the stack is as expected, what it was, and the threads without frames."""
    with tempfile.TemporaryDirectory() as work:
        threads = threads_of(stackcore_get(program, way, libraries, work))
    frames = next(iter(threads.values()), [])  # the thread that got the signal comes first
    if layout == "split":
        public = [f for f in frames if f.startswith("acl") and not f.endswith("Impl")]
        good = has_run(frames, SPLIT[way]) and not public
    else:
        good = has_run(frames, CLASSIC_TAIL[way])
    missing = sorted(t for t in THREADS if not threads.get(t))
    return good and not missing, frames, missing


def main():
    program, libraries, layout = sys.argv[1:]
    wrong = 0
    for way in SPLIT:
        for _ in range(SAMPLES):
            good, frames, missing = look(program, libraries, layout, way)
            if good:
                break
            print("%s: unexpected stack %s, threads without frames: %s" % (way, frames, missing))
        wrong += not good
    print("%d of %d stacks as expected" % (len(SPLIT) - wrong, len(SPLIT)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
