# SPDX-License-Identifier: Apache-2.0
"""The example hangs under LD_PRELOAD alone: found, named, proven; and what must never be called proven."""
import json
import os
import shutil
import subprocess
import tempfile
import time

from harness import SANITIZER, Program, attach, check, clean_environment, first, main, number

# Same shape as the plain examples, but with other ids, other thread counts, another name.
DISGUISES = (
    {"CANNSIM_SYNC": "spin"},
    {"CANNSIM_SYNC": "sleep"},
)
SHUFFLE = ["--decoys", "3", "--threads", "2"]


def culprit_is(verdict, **want):
    for field, value in want.items():
        got = verdict["culprit"].get(field)
        check(got == value, "culprit %s is %r, the program says %r" % (field, got, value))


def same_answer(one, other):
    for key in ("class", "culprit"):
        check(one[key] == other[key], "attach and shim differ in %s: %r, %r" % (key, other[key], one[key]))
    shape = [[(n["node"], n.get("stream"), n.get("task"), n.get("event"), n.get("type")) for n in v["chain"]]
             for v in (one, other)]
    check(shape[0] == shape[1], "attach and shim differ in the chain: %r, %r" % (shape[0], shape[1]))


def expect_hang(build, argv, want_class, env=None):
    """Runs a hang under the shim; checks report, stderr, ids and attach; returns the latency in seconds."""
    with Program(build, argv, env) as program:
        formed = program.wait_for_output("hanging")
        report = program.report(1)
        seen = time.monotonic()
        verdict = first(report)
        values = program.values()
        check(verdict["class"] == want_class, "class is %s" % verdict["class"])
        # A sanitizer makes the threads itself, so who made them cannot be told.
        check(verdict["confidence"] == ("likely" if SANITIZER else "proven"),
              "confidence is %s: %s" % (verdict["confidence"], verdict.get("assumes")))
        check(len(report["verdicts"]) == 1, "one hang, %d verdicts" % len(report["verdicts"]))
        if want_class == "event-never-recorded":
            culprit_is(verdict, event=number(values["event"]), stream=number(values["stream"]))
            waits = [("stream", "event", "task")]
        else:
            waits = [("stream_a", "event_b", "wait_a"), ("stream_b", "event_a", "wait_b")]
        nodes = {(n.get("stream"), n.get("event"), n.get("task")) for n in verdict["chain"] if n["node"] == "stream"}
        for names in waits:
            own = tuple(number(values[name]) for name in names)
            check(own in nodes, "stream, event, task %r are not in the chain %r" % (own, sorted(nodes, key=str)))
        program.wait_for(lambda: want_class in program.stderr(), 10, "the class on stderr")
        head = program.stderr().splitlines()[:3]
        check(any("stream" in line for line in head), "the first three lines do not say what is stuck: %r" % head)
        status, now = attach(build, program.pid)
        check(status == 10, "attach ended with %d" % status)
        same_answer(verdict, first(now))
        check(program.process.poll() is None, "the program ended")
        return seen - formed


def event_never_recorded(build):
    print("     from forming to report: %.2f s" % expect_hang(
        build, [build.example("event_never_recorded")], "event-never-recorded"))


def wait_cycle(build):
    print("     from forming to report: %.2f s" % expect_hang(build, [build.example("wait_cycle")], "wait-cycle"))


def disguised(build):
    for name, want in (("event_never_recorded", "event-never-recorded"), ("wait_cycle", "wait-cycle")):
        for env in DISGUISES:
            with tempfile.TemporaryDirectory() as place:
                # Deep enough that the simulator is found through LD_LIBRARY_PATH only.
                other = os.path.join(place, "trainer")
                shutil.copy(build.example(name), other)
                settings = dict(env, LD_LIBRARY_PATH=build.simulator)
                expect_hang(build, [other] + SHUFFLE, want, settings)


def many_tasks(build):
    """Ids stay the runtime's after 70,000 tasks on one stream."""
    for name, want in (("event_never_recorded", "event-never-recorded"), ("wait_cycle", "wait-cycle")):
        expect_hang(build, [build.example(name), "--tasks", "70000"], want)


def event_recorded_late(build):
    with Program(build, [build.example("event_recorded_late")]) as program:
        check(program.end() == 0, "status %d" % program.process.returncode)
        for path in program.reports():
            deadline = time.monotonic() + 5
            while True:
                with open(path, encoding="utf-8") as file:
                    report = json.load(file)
                if not report["verdicts"] or time.monotonic() > deadline:
                    break
                time.sleep(0.05)
            check(not report["verdicts"], "a verdict is left of a hang that ended: %r" % report["verdicts"])
            check(report.get("recovered"), "nothing under recovered")
            for verdict in report["recovered"]:
                check(verdict["confidence"] != "proven", "proven, and then it went on")
        if program.reports():
            program.wait_for(lambda: "recovered" in program.stderr(), 5, "the recovery line")
        check("proven" not in program.stderr(), "stderr says proven: " + program.stderr())


def sync_with_timeout(build):
    with Program(build, [build.example("sync_with_timeout")]) as program:
        check(program.end() == 0, "status %d: %s" % (program.process.returncode, program.stderr()))
        check("proven" not in program.stderr(), "stderr says proven: " + program.stderr())
        for path in program.reports():
            with open(path, encoding="utf-8") as file:
                check('"proven"' not in file.read(), "a timed wait is proven in " + path)


def silent(build, program):
    check(program.end(120) == 0, "status %d" % program.process.returncode)
    check(not program.stderr(), "a healthy program, and a line: " + program.stderr())
    check(not os.listdir(program.cwd), "a healthy program, and a file: %r" % os.listdir(program.cwd))


def healthy(build):
    with Program(build, [build.example("healthy"), "--seconds", "8"]) as program:
        time.sleep(3)
        status, report = attach(build, program.pid)
        check(status == 0, "attach to a healthy program ended with %d: %r" % (status, report["verdicts"]))
        silent(build, program)


def healthy_loaded(build):
    """All cores busy with something else, and a little more than that."""
    burners = [subprocess.Popen(["sh", "-c", "while :; do :; done"], env=clean_environment())
               for _ in range(os.cpu_count() + 1)]
    try:
        with Program(build, [build.example("healthy"), "--seconds", "8"]) as program:
            silent(build, program)
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


def switched_off(build):
    with Program(build, [build.example("sync_with_timeout")], {"CANNWATCH": "off"}) as program:
        silent(build, program)


if __name__ == "__main__":
    main([event_never_recorded, wait_cycle, disguised, many_tasks, event_recorded_late, sync_with_timeout, healthy,
          healthy_loaded, switched_off])
