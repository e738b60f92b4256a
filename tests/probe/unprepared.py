# SPDX-License-Identifier: Apache-2.0
"""cannwatch attach on programs that nobody prepared: what stacks and the runtime's own trace decide, and what they do not."""
import json
import os
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
from harness import SANITIZER, Program, attach, check, clean_environment, first, main, number, skip, tool  # noqa: E402

def with_cann(build):
    """The environment of a target that uses nothing of CANN but has it loaded."""
    if SANITIZER:
        skip("the simulator is sanitized here and the target is not")
    return {"LD_PRELOAD": os.path.join(build.simulator, "libascendcl.so")}


BARE = {"LD_PRELOAD": ""}  # a target that is not sanitized must not be given the sanitizer's calls either


def layouts(build):
    yield "classic", build.simulator
    split = os.path.join(build.simulator, "split")
    if os.path.exists(os.path.join(split, "libascendcl.so")):
        yield "split", split


def hang(build, name, libraries, mode, arguments=()):
    env = {"LD_LIBRARY_PATH": libraries, "CANNSIM_SYNC": mode}
    program = Program(build, [build.example(name)] + list(arguments), env, shim=False)
    program.wait_for_output("hanging=1")
    time.sleep(0.3)
    return program


def settled(build, program, want, seconds=20):
    """The answer once the program has come to where it hangs: on a loaded machine that takes a while."""
    end = time.monotonic() + seconds
    while True:
        status, report = attach(build, program.pid)
        if (report["verdicts"] and first(report)["class"] == want) or time.monotonic() > end:
            return status, report
        time.sleep(0.2)


def expect(build, name, want, look, modes=("spin", "sleep"), arguments=()):
    for layout, libraries in layouts(build):
        for mode in modes:
            with hang(build, name, libraries, mode, arguments) as program:
                where = "%s %s %s" % (name, layout, mode)
                status, report = settled(build, program, want)
                verdict = first(report)
                check(status == 10 and verdict["class"] == want, "%s: %d %r" % (where, status, verdict))
                check(len(report["verdicts"]) == 1, "%s: %d verdicts" % (where, len(report["verdicts"])))
                check(verdict["confidence"] != "proven", "%s: stacks never prove" % where)
                check(verdict["coverage"]["before_attach"], "%s: the past is not all seen" % where)
                check("ring" not in report["sources"] and "stacks" in report["sources"], "%s: %r" % (where, report["sources"]))
                thread = verdict["chain"][0]
                check(thread["node"] == "thread" and thread["tid"] == program.pid, "%s: %r" % (where, thread))
                look(where, verdict, program.values(), thread)
                check(program.process.poll() is None, "%s: the program ended" % where)


def event_never_recorded(build):
    def look(where, verdict, values, thread):
        check(verdict["confidence"] == "likely", "%s: %s" % (where, verdict["confidence"]))
        check(thread["in"] == "aclrtSynchronizeStream", "%s: in %r" % (where, thread))
        for field in ("stream", "event"):
            check(verdict["culprit"][field] == number(values[field]), "%s: %s is %r" % (where, field, verdict["culprit"]))
        check(any(e["source"] == "trace_ring" for e in verdict["evidence"]), "%s: no line of the trace" % where)

    expect(build, "event_never_recorded", "event-never-recorded", look)
    expect(build, "event_never_recorded", "event-never-recorded", look, ("sleep",), ("--decoys", "3", "--threads", "2"))


def wait_cycle(build):
    def look(where, verdict, values, thread):
        check(verdict["confidence"] == "likely", "%s: %s" % (where, verdict["confidence"]))
        nodes = {(n.get("stream"), n.get("event"), n.get("task")) for n in verdict["chain"] if n["node"] == "stream"}
        for names in (("stream_a", "event_b", "wait_a"), ("stream_b", "event_a", "wait_b")):
            own = tuple(number(values[name]) for name in names)
            check(own in nodes, "%s: %r is not in %r" % (where, own, nodes))

    expect(build, "wait_cycle", "wait-cycle", look)
    expect(build, "wait_cycle", "wait-cycle", look, ("sleep",), ("--decoys", "3", "--threads", "2"))


def submit_and_sync(build):
    """Nothing of it is in the trace: stacks tell handing over from waiting, and no more is claimed."""
    def submit(where, verdict, values, thread):
        check(verdict["culprit"]["tid"] == thread["tid"] and thread["in"].startswith("aclrt"), "%s: %r" % (where, thread))
        check("stream" not in verdict["culprit"], "%s: no stack says which stream" % where)

    def sync(where, verdict, values, thread):
        check(verdict["confidence"] == "possible", "%s: %s" % (where, verdict["confidence"]))
        check("Synchronize" in verdict["culprit"]["api"], "%s: %r" % (where, verdict["culprit"]))
        check(verdict["next"], "%s: nothing to do next" % where)

    expect(build, "queue_full", "submit-stuck", submit)
    for name in ("kernel_stuck", "notify_missing"):
        expect(build, name, "sync-stuck", sync)


def call_site(build):
    """Where the program's call is: file and line with debug information, function without, module and offset stripped."""
    def site_of(path):
        with Program(build, [path], {"LD_LIBRARY_PATH": build.simulator}, shim=False) as program:
            program.wait_for_output("hanging=1")
            report = settled(build, program, "event-never-recorded")[1]
            return first(report)["chain"][0].get("site", "")

    place = os.path.join(build.path, "unprepared.%d" % os.getpid())
    os.mkdir(place)
    try:
        plain = build.example("event_never_recorded")
        check("event_never_recorded.c:" in site_of(plain), "site is %r" % site_of(plain))
        for option, want in (("--strip-debug", "main+0x"), ("--strip-all", "stripped+0x")):
            copy = os.path.join(place, "stripped")
            subprocess.run(["strip", option, "-o", copy, plain], check=True)
            check(site_of(copy).startswith(want), "after strip %s the site is %r" % (option, site_of(copy)))
    finally:
        shutil.rmtree(place)


def healthy(build):
    """Always inside some synchronize when one looks, and yet never the same one."""
    for layout, libraries in layouts(build):
        with Program(build, [build.example("healthy"), "--seconds", "60"], {"LD_LIBRARY_PATH": libraries}, shim=False) as program:
            time.sleep(1)
            for _ in range(5):
                status, report = attach(build, program.pid)
                check(status in (0, 11) and not any(v["kind"] == "hang" for v in report["verdicts"]),
                      "%s: a healthy program: %r" % (layout, report["verdicts"]))
            check(program.process.poll() is None, "%s: it ended" % layout)


def host_target(build):
    return os.path.join(build.path, "tests", "probe", "host")


def host(build):
    """No CANN call at all: a server waits as designed, code of the program's own stands still, or it cannot be told."""
    for mode, want, word in (("accept", "idle-wait", "request"), ("epoll", "idle-wait", "request"),
                             ("child", "idle-wait", "child"), ("read", "host-not-submitting", "input"),
                             ("lock", "host-not-submitting", "lock"), ("queue", "host-not-submitting", "another thread"),
                             ("spin", "host-not-submitting", "code of its own"),
                             ("poll-nothing", "host-not-submitting", "sleeps"), ("shared", "insufficient-evidence", "another process")):
        for more in ([], ["alone"]):
            with Program(build, [host_target(build), mode] + more, with_cann(build), shim=False) as program:
                program.wait_for_output("there=1")
                status, report = settled(build, program, want)
                verdict = first(report)
                check(verdict["class"] == want and word in verdict["summary"], "%s: %r" % (mode, verdict))
                check(status == {"idle-wait": 0, "insufficient-evidence": 11}.get(want, 10), "%s: status %d" % (mode, status))
                check(verdict["confidence"] != "proven", "%s: proven" % mode)
                if want != "idle-wait":
                    check(verdict["culprit"]["tid"] == program.pid, "%s: blames %r" % (mode, verdict["culprit"]))


def no_cann(build):
    """A process that has no CANN library loaded is not said to hang, whatever it does: another one may be meant."""
    for argv in ([host_target(build), "read", "alone"], [host_target(build), "spin", "alone"], ["sleep", "100"]):
        with Program(build, argv, BARE, shim=False) as program:
            if argv[0] != "sleep":
                program.wait_for_output("there=1")
            status, report = settled(build, program, "insufficient-evidence")
            verdict = first(report)
            check(status == 11 and verdict["class"] == "insufficient-evidence", "%r: %d %r" % (argv, status, verdict))
            check("no CANN library" in json.dumps(verdict), "%r does not say why: %r" % (argv, verdict))


def no_stop(build):
    """A thread that spins cannot be read without stopping it: said, not guessed."""
    with Program(build, [host_target(build), "spin", "alone"], BARE, shim=False) as program:
        program.wait_for_output("there=1")
        time.sleep(0.3)
        status, out, err = tool(build, "attach", "--json", "--no-stop", str(program.pid))
        report = json.loads(out)
        check(status == 11 and first(report)["class"] == "insufficient-evidence", "%d %s %s" % (status, out, err))
        check(report["threads"][0].get("stack_reason"), "no reason: %r" % report["threads"])


def look_from_inside(build, prefix, program, want, what):
    """cannwatch attach under some limits: the same full result."""
    done = subprocess.run(prefix + [build.tool, "attach", "--json", str(program.pid)], env=clean_environment(),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
    check(done.returncode == 10, "%s: %d %s %s" % (what, done.returncode, done.stdout[:200], done.stderr))
    report = json.loads(done.stdout)
    check(first(report)["class"] == want, "%s: %r" % (what, first(report)))
    check(not any(t.get("stack_reason") for t in report["threads"]), "%s: a stack is not whole: %r" % (what, report["threads"]))


def no_capability(build):
    """Same user, CAP_SYS_PTRACE dropped from everywhere."""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        skip("needs root and setpriv")
    drop = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]
    for mode in ("spin", "sleep"):
        # The target without capabilities too: one may look only at what has no more than oneself.
        env = clean_environment({"LD_LIBRARY_PATH": build.simulator, "CANNSIM_SYNC": mode})
        with Program(build, drop + [build.example("event_never_recorded")], env, shim=False) as program:
            program.wait_for_output("hanging=1")
            settled(build, program, "event-never-recorded")
            look_from_inside(build, drop, program, "event-never-recorded", "without capabilities, " + mode)


def namespaces(build):
    """A container's pid and mount namespaces: seen from the host by the host's pid, and from inside by its own."""
    if os.geteuid() != 0 or subprocess.run(["unshare", "-pm", "--fork", "--mount-proc", "true"],
                                           stderr=subprocess.DEVNULL).returncode:
        skip("needs the right to unshare")
    script = ('"$0" & own=$!; echo inner=$own; sleep 3; "$1" attach --json $own > "$2"; echo "status=$?"; wait')
    with Program(build, ["true"], shim=False) as scratch:
        result = os.path.join(scratch.cwd, "report.json")
        command = ["unshare", "-pm", "--fork", "--kill-child", "--mount-proc", "sh", "-c", script,
                   build.example("event_never_recorded"), build.tool, result]
        with Program(build, command, {"LD_LIBRARY_PATH": build.simulator}, shim=False) as program:
            program.wait_for_output("hanging=1")
            program.wait_for_output("status=10")
            with open(result, encoding="utf-8") as file:
                inside = json.load(file)
            check(first(inside)["class"] == "event-never-recorded" and inside["pid"] == number(program.values()["inner"]),
                  "from inside: %r" % first(inside))
            outer = None
            for entry in os.listdir("/proc"):
                try:
                    if entry.isdigit() and os.readlink("/proc/%s/exe" % entry) == build.example("event_never_recorded"):
                        with open("/proc/%s/status" % entry, encoding="utf-8") as file:
                            ids = [line.split() for line in file if line.startswith("NSpid")][0]
                        if len(ids) > 2 and ids[-1] == program.values()["inner"]:
                            outer = int(entry)
                except OSError:
                    continue
            check(outer, "the program inside was not found")
            status, report = attach(build, outer)
            check(status == 10 and first(report)["class"] == "event-never-recorded", "from the host: %r" % report["verdicts"])
            check(not any(t.get("stack_reason") for t in report["threads"]), "from the host: a stack is not whole")


def ask_runtime(build):
    """Only where the runtime has a handler for it; else one line, and no signal."""
    with Program(build, [host_target(build), "accept"], BARE, shim=False) as program:
        program.wait_for_output("there=1")
        status, out, err = tool(build, "attach", "--ask-runtime", str(program.pid))
        check(status == 1 and not out and len(err.splitlines()) == 1 and "signal 35" in err, "%d %r %r" % (status, out, err))
        check(program.process.poll() is None, "it was signalled")
    with hang(build, "event_never_recorded", build.simulator, "sleep") as program:
        status, out, err = tool(build, "attach", "--json", "--ask-runtime", str(program.pid))
        report = json.loads(out)
        check(status == 10 and first(report)["class"] == "event-never-recorded", "%d %s %s" % (status, out[:300], err))
        check(program.process.poll() is None, "the program ended")


if __name__ == "__main__":
    main([event_never_recorded, wait_cycle, submit_and_sync, call_site, healthy, host, no_cann, no_stop, no_capability, namespaces,
          ask_runtime])
