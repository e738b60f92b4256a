# SPDX-License-Identifier: Apache-2.0
"""Waits that end by themselves, and waits that somebody outside the process may end: reported when due, never proven."""
import os
import time

from harness import Program, check, first, main, number


def program(build, *arguments):
    return [os.path.join(build.path, "tests", "e2e", "limits")] + list(arguments)


def is_recovered(one, want_class, number_=1):
    """Ends by itself, and the report says so: nothing is left under verdicts, and nothing was proven."""
    def moved():
        report = one.report(number_)
        return not report["verdicts"] and report.get("recovered")

    recovered = one.wait_for(moved, 20, "the report to be brought up to date")
    check([v["class"] for v in recovered] == [want_class], "recovered: %r" % recovered)
    check(all(v["confidence"] != "proven" for v in recovered), "proven, and then it ended")
    one.wait_for(lambda: "recovered" in one.stderr(), 10, "the recovery line")


def timed_synchronize(build):
    """Reported at once, likely, and recovered when the program gives up and records after all."""
    with Program(build, [build.example("sync_with_timeout")]) as one:
        formed = one.wait_for_output("hanging=1")
        verdict = first(one.report(1, 10))
        took = time.monotonic() - formed
        values = one.values()
        check(verdict["class"] == "event-never-recorded", verdict["class"])
        check(verdict["confidence"] == "likely", verdict["confidence"])
        check(verdict["culprit"].get("event") == number(values["event"]), "event %r" % verdict["culprit"])
        check(verdict["culprit"].get("stream") == number(values["stream"]), "stream %r" % verdict["culprit"])
        check(1 < verdict.get("ends_in_s", -1) < 3, "ends by itself in %r s" % verdict.get("ends_in_s"))
        check("ends by itself in" in " ".join(one.stderr().split()), one.stderr())
        check(took < 2.9, "reported only after %.1f s, when the time limit was over" % took)
        check(one.end() == 0, "status %d" % one.process.returncode)
        is_recovered(one, "event-never-recorded")


def timed_wait(build):
    with Program(build, program(build, "wait")) as one:
        formed = one.wait_for_output("hanging=1")
        verdict = first(one.report(1, 10))
        took = time.monotonic() - formed
        check(verdict["class"] == "event-never-recorded", verdict["class"])
        check(verdict["confidence"] == "likely", verdict["confidence"])
        check(took < 2.9, "reported only after %.1f s" % took)
        check(1 < verdict.get("ends_in_s", -1) < 3.1, "ends by itself in %r s" % verdict.get("ends_in_s"))
        one.end()
        is_recovered(one, "event-never-recorded")


def short_polls(build):
    """A healthy way to wait for another thread: nothing stands still long enough to be called stuck."""
    for milliseconds in ("1", "50", "200", "300"):
        with Program(build, program(build, "polls", milliseconds)) as one:
            check(one.end() == 0, "status %d: %s" % (one.process.returncode, one.stderr()))
            check(not one.stderr(), "polls of %s ms, and a line: %s" % (milliseconds, one.stderr()))
            check(not os.listdir(one.cwd), "polls of %s ms, and a file" % milliseconds)


def exported_notify(build):
    """Another process may record it any moment: only the stall limit makes it a finding."""
    with Program(build, program(build, "exported")) as one:
        check(one.end() == 0, "status %d" % one.process.returncode)
        check(not one.stderr(), "reported before the stall limit: " + one.stderr())
    with Program(build, program(build, "exported"), {"CANNWATCH_STALL": "2"}) as one:
        formed = one.wait_for_output("hanging=1")
        verdict = first(one.report(1, 10))
        took = time.monotonic() - formed
        values = one.values()
        check(verdict["class"] == "notify-wait-stuck", verdict["class"])
        check(verdict["confidence"] != "proven", "proven, though another process may record it")
        check(verdict["culprit"].get("notify") == number(values["notify"]), "%r" % verdict["culprit"])
        check(verdict["culprit"].get("stream") == number(values["stream"]), "%r" % verdict["culprit"])
        check(took >= 1.9, "reported after %.1f s, before the limit" % took)
        check(one.end() == 0, "status %d" % one.process.returncode)
        is_recovered(one, "notify-wait-stuck")


if __name__ == "__main__":
    main([timed_synchronize, timed_wait, short_polls, exported_notify])
