# SPDX-License-Identifier: Apache-2.0
"""The examples that hang in other ways than by events alone: each named right, with the program's own ids, in every layout."""
import os
import time

from harness import SANITIZER, Program, attach, check, first, main, number


def layouts(build):
    found = [("classic", build.simulator)]
    split = os.path.join(build.simulator, "split")
    if os.path.exists(os.path.join(split, "libascendcl.so")):
        found.append(("split", split))
    return found


def culprit_is(verdict, values, **fields):
    """Each field of the culprit is what the program printed under this name."""
    for field, name in fields.items():
        got = verdict["culprit"].get(field)
        check(got == number(values[name]), "culprit %s is %r, the program says %s" % (field, got, values[name]))


def expect(build, name, want_class, at_once, look, arguments=(), stall=2):
    """
    Runs the example in each layout: class, kind of evidence, time of the report; the rest is look's.
    at_once: a structure that nothing will end, else it lasts long and waits for the stall limit.
    """
    for layout, libraries in layouts(build):
        settings = {"LD_LIBRARY_PATH": libraries, "CANNWATCH_STALL": str(stall)}
        with Program(build, [build.example(name)] + list(arguments), settings) as program:
            formed = program.wait_for_output("hanging=1")
            report = program.report(1, 20)
            took = time.monotonic() - formed
            verdict = first(report)
            check(len(report["verdicts"]) == 1, "%s: %d verdicts" % (layout, len(report["verdicts"])))
            check(verdict["class"] == want_class, "%s: class is %s" % (layout, verdict["class"]))
            if at_once:
                check(took < stall, "%s: reported after %.1f s" % (layout, took))
            else:
                check(took > stall - 0.2, "%s: reported after %.1f s, before the limit" % (layout, took))
                check(verdict["confidence"] != "proven", "%s: proven, though it may end" % layout)
            look(verdict, program.values())
            # Asked by hand, what only lasts long counts from a few seconds on.
            end = time.monotonic() + 15
            status, now = attach(build, program.pid)
            while status == 0 and not at_once and time.monotonic() < end:
                time.sleep(0.5)
                status, now = attach(build, program.pid)
            check(status == 10 and first(now)["class"] == want_class, "%s: attach says %r" % (layout, now["verdicts"]))
            check(first(now)["culprit"] == verdict["culprit"], "%s: attach blames %r, the shim %r" % (
                layout, first(now)["culprit"], verdict["culprit"]))
            check(program.process.poll() is None, "%s: the program ended" % layout)


SHIFTED = ("--decoys", "2", "--threads", "1")


def has_node(verdict, **fields):
    check(any(all(node.get(k) == v for k, v in fields.items()) for node in verdict["chain"]),
          "no %r in the chain %r" % (fields, verdict["chain"]))


def kernel_stuck(build):
    def look(verdict, values):
        culprit_is(verdict, values, stream="stream", task="task")
        check(verdict["culprit"].get("kernel") == "never_ends", "kernel: %r" % verdict["culprit"])
        has_node(verdict, node="stream", type="kernel", task=number(values["task"]))

    expect(build, "kernel_stuck", "task-stuck", False, look)
    expect(build, "kernel_stuck", "task-stuck", False, look, SHIFTED)


def event_record_blocked(build):
    def look(verdict, values):
        culprit_is(verdict, values, stream="stream", task="task", event="event")
        has_node(verdict, node="stream", type="event-wait", stream=number(values["waiting"]))
        has_node(verdict, node="stream", type="event-record", stream=number(values["stream"]))

    expect(build, "event_record_blocked", "event-record-blocked", False, look)
    expect(build, "event_record_blocked", "event-record-blocked", False, look, SHIFTED)


def notify_missing(build):
    def look(verdict, values):
        culprit_is(verdict, values, stream="stream", notify="notify")
        check(verdict["confidence"] == ("likely" if SANITIZER else "proven"),
              "%s: %r" % (verdict["confidence"], verdict.get("assumes")))
        has_node(verdict, node="thread", stream=number(values["waiting"]))
        has_node(verdict, node="stream", type="event-wait", stream=number(values["waiting"]),
                 event=number(values["event"]))
        has_node(verdict, node="stream", type="notify-wait", stream=number(values["stream"]),
                 notify=number(values["notify"]), task=number(values["task"]))

    expect(build, "notify_missing", "notify-wait-stuck", True, look, stall=15)
    expect(build, "notify_missing", "notify-wait-stuck", True, look, SHIFTED, stall=15)


def value_never_written(build):
    def look(verdict, values):
        culprit_is(verdict, values, stream="stream")
        has_node(verdict, node="stream", type="value-wait", task=number(values["task"]))

    expect(build, "value_never_written", "value-wait-stuck", False, look)


def callback_unserved(build):
    def look(verdict, values):
        culprit_is(verdict, values, stream="stream")
        has_node(verdict, node="stream", type="callback")

    expect(build, "callback_unserved", "callback-not-served", False, look)


def queue_full(build):
    def look(verdict, values):
        culprit_is(verdict, values, stream="stream", task="task", tid="pid")
        check(verdict["culprit"].get("api") == "aclrtRecordNotify", "api: %r" % verdict["culprit"])

    expect(build, "queue_full", "submit-stuck", False, look)


def destroy_blocks(build):
    def look(verdict, values):
        culprit_is(verdict, values, stream="stream", event="event")
        check(verdict["confidence"] == ("likely" if SANITIZER else "proven"),
              "%s: %r" % (verdict["confidence"], verdict.get("assumes")))
        check(verdict["chain"][0].get("in") == "aclrtDestroyStream", "chain begins with %r" % verdict["chain"][0])

    expect(build, "destroy_blocks", "event-never-recorded", True, look, stall=15)


def graph_replay_stuck(build):
    def look(verdict, values):
        culprit_is(verdict, values, stream="stream", notify="notify")

    expect(build, "graph_replay_stuck", "notify-wait-stuck", False, look)
    expect(build, "graph_replay_stuck", "notify-wait-stuck", False, look, SHIFTED)


def second_context(build):
    def look(verdict, values):
        culprit_is(verdict, values, stream="stream", event="event")
        has_node(verdict, node="stream", type="event-wait", task=number(values["task"]))

    expect(build, "second_context", "event-never-recorded", True, look, stall=15)
    expect(build, "second_context", "event-never-recorded", True, look, SHIFTED, stall=15)


def slow_kernel(build):
    """Not a hang: silent with the usual limit; with a short one at most one mention, taken back at the end."""
    for layout, libraries in layouts(build):
        with Program(build, [build.example("slow_kernel")], {"LD_LIBRARY_PATH": libraries}) as program:
            check(program.end() == 0, "%s: status %d" % (layout, program.process.returncode))
            check(not program.stderr() and not program.reports(), "%s: %s" % (layout, program.stderr()))
        settings = {"LD_LIBRARY_PATH": libraries, "CANNWATCH_STALL": "2"}
        with Program(build, [build.example("slow_kernel")], settings) as program:
            check(program.end() == 0, "%s: status %d" % (layout, program.process.returncode))
            check(len(program.reports()) <= 1, "%s: reports %r" % (layout, program.reports()))
            check("proven" not in program.stderr(), "%s: proven, and then it ended" % layout)
            program.wait_for(lambda: "cannwatch: recovered" in program.stderr(), 10, "the recovery line")
            check(program.stderr().count("cannwatch: hang") == 1, "%s: %s" % (layout, program.stderr()))
            check("hang task-stuck" in program.stderr(), "%s: %s" % (layout, program.stderr()))


if __name__ == "__main__":
    main([kernel_stuck, event_record_blocked, notify_missing, value_never_written, callback_unserved, queue_full,
          destroy_blocks, graph_replay_stuck, second_context, slow_kernel])
