# SPDX-License-Identifier: Apache-2.0
"""Whatever way a program reaches the API, in whatever layout of the libraries: the same class, culprit and chain."""
import os
import sys
import time

from harness import SANITIZER, Program, attach, check, first, main, number, skip

HANGS = {"event_never_recorded": "event-never-recorded", "wait_cycle": "wait-cycle"}


def layouts(build):
    found = [("classic", build.simulator)]
    split = os.path.join(build.simulator, "split")
    if os.path.exists(os.path.join(split, "libascendcl.so")):
        found.append(("split", split))
    return found


def check_verdict(verdict, hang, values, want_proven):
    check(verdict["class"] == HANGS[hang], "class is %s" % verdict["class"])
    if want_proven and not SANITIZER:
        check(verdict["confidence"] == "proven", "%s: %r" % (verdict["confidence"], verdict.get("assumes")))
    if hang == "event_never_recorded":
        for key in ("event", "stream"):
            check(verdict["culprit"].get(key) == number(values[key]), "%s in %r" % (key, verdict["culprit"]))
        waits = [("stream", "event", "task")]
    else:
        waits = [("stream_a", "event_b", "wait_a"), ("stream_b", "event_a", "wait_b")]
    nodes = {(n.get("stream"), n.get("event"), n.get("task")) for n in verdict["chain"] if n["node"] == "stream"}
    for names in waits:
        own = tuple(number(values[name]) for name in names)
        check(own in nodes, "stream, event, task %r are not in the chain %r" % (own, sorted(nodes, key=str)))
    thread = verdict["chain"][0]
    check(thread["node"] == "thread" and thread.get("in") == "aclrtSynchronizeStream", "chain begins with %r" % thread)


def matrix(build, argv, want_proven=True, env=None):
    for layout, libraries in layouts(build):
        for hang in HANGS:
            settings = {"LD_LIBRARY_PATH": libraries}
            settings.update(env or {})
            with Program(build, [word.replace("HANG", hang) for word in argv], settings) as program:
                program.wait_for_output("hanging=1")
                report = program.report(1, 15)
                check(len(report["verdicts"]) == 1, "%s, %s: %d verdicts" % (layout, hang, len(report["verdicts"])))
                check_verdict(first(report), hang, program.values(), want_proven)


def place(build, name):
    return os.path.join(build.path, "tests", "e2e", "callers", name)


def plt(build):
    matrix(build, [place(build, "plain"), "HANG"])


def dlsym_handle(build):
    matrix(build, [place(build, "lookup"), "handle", "HANG"])


def dlsym_default(build):
    matrix(build, [place(build, "lookup"), "default", "HANG"])


def dlvsym_handle(build):
    matrix(build, [place(build, "lookup"), "versioned", "HANG", place(build, "libversioned.so")])


def needed_by_dlopened(build):
    matrix(build, [place(build, "lookup"), "needed", "HANG", place(build, "libneeded.so")])


def script():
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "callers", "by_ctypes.py")


# Python has a signal handler of its own, which might record an event: never proven there.
def ctypes_local(build):
    matrix(build, [sys.executable, script(), "local", "HANG"], want_proven=False)


def ctypes_global(build):
    matrix(build, [sys.executable, script(), "global", "HANG"], want_proven=False)


def cpp_extension(build):
    if not os.path.exists(place(build, "extension.so")) and not any(
            name.startswith("extension.") for name in os.listdir(place(build, ""))):
        skip("no C++ compiler or no Python headers")
    matrix(build, [sys.executable, script(), "extension", "HANG", place(build, "")], want_proven=False)


def bypassed(build):
    """
    A caller that goes past every look-up of ours. Where an inner layer is still passed, it tells all the same;
    where none is, the tool says that it does not see, and claims nothing.
    """
    argv = [place(build, "lookup"), "bypass", "event_never_recorded"]
    for layout, libraries in layouts(build):
        with Program(build, argv, {"LD_LIBRARY_PATH": libraries, "CANNWATCH_STALL": "2"}) as program:
            program.wait_for_output("hanging=1")
            if layout == "classic":
                verdict = first(program.report(1, 15))
                check(verdict["class"] == "event-never-recorded", verdict["class"])
                check(verdict["culprit"].get("stream") == number(program.values()["stream"]), verdict["culprit"])
                continue
            time.sleep(3)
            status, report = attach(build, program.pid)
            check(status == 11 and [v["class"] for v in report["verdicts"]] == ["shim-bypassed"],
                  "%d: %r" % (status, report["verdicts"]))
            coverage = first(report)["coverage"]
            check(coverage["unattributed_tasks"] == coverage["tasks"] > 0, "%r" % coverage)


if __name__ == "__main__":
    main([plt, dlsym_handle, dlsym_default, dlvsym_handle, needed_by_dlopened, ctypes_local, ctypes_global,
          cpp_extension, bypassed])
