# SPDX-License-Identifier: Apache-2.0
"""The watched program cannot notice us: children, signals, statuses, files; and clear answers to bad input."""
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile
import textwrap

from harness import Program, check, clean_environment, main, tool


def invisible_helper(build):
    """A SIGCHLD handler and a wait(-1) loop see the program's own children only, with and without a report."""
    seen = []
    for shim in (False, True):
        with Program(build, [os.path.join(build.path, "tests", "e2e", "waiter")], shim=shim) as program:
            status = program.end()
            check(status == 0, "waiter ended with %d: %s" % (status, program.stderr()))
            seen.append({k: v for k, v in program.values().items() if k in ("children", "sigchld", "strangers")})
            check(len(program.reports()) == (1 if shim else 0), "%d reports" % len(program.reports()))
    check(seen[0] == seen[1], "without the shim %r, with it %r" % tuple(seen))


POOL = textwrap.dedent("""
    import ctypes, multiprocessing, signal, sys, time

    def square(n):
        return n * n

    def hang(path):
        acl = ctypes.CDLL(path)
        stream, event = ctypes.c_void_p(), ctypes.c_void_p()
        acl.aclInit(None)
        acl.aclrtSetDevice(0)
        acl.aclrtCreateStream(ctypes.byref(stream))
        acl.aclrtCreateEventWithFlag(ctypes.byref(event), 1)
        acl.aclrtStreamWaitEvent(stream, event)
        code = acl.aclrtSynchronizeStreamWithTimeout(stream, 3000)
        acl.aclrtRecordEvent(event, stream)
        return code

    if __name__ == "__main__":
        context = multiprocessing.get_context("fork")
        with context.Pool(2) as pool:
            squares = pool.map(square, range(100))
            code = hang(sys.argv[1])
            squares += pool.map(square, range(100))
        pool.join()
        print("code=%d sum=%d" % (code, sum(squares)), flush=True)
""")


def python_pool(build):
    """multiprocessing's pool behaves the same although a report is made meanwhile."""
    answers = []
    with tempfile.TemporaryDirectory() as place:
        script = os.path.join(place, "pool.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write(POOL)
        for shim in (False, True):
            argv = [sys.executable, script, os.path.join(build.simulator, "libascendcl.so")]
            with Program(build, argv, shim=shim) as program:
                status = program.end()
                answers.append((status, program.stdout()))
                strange = [line for line in program.stderr().splitlines()
                           if "cannwatch" not in line and not line.startswith((" ", "\t"))]
                check(status == 0, "status %d: %s" % (status, program.stderr()))
    check(answers[0] == answers[1], "without the shim %r, with it %r" % tuple(answers))
    check(not [s for s in strange if "Traceback" in s], "stderr: %r" % strange)


DATA = textwrap.dedent("""
    import ctypes, os, sys, threading, time

    acl = ctypes.CDLL(sys.argv[1])
    stream, other, event = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()

    def swap_and_record():
        acl.aclrtSetDevice(0)
        time.sleep(0.1)
        os.close(2)
        assert os.open("data", os.O_CREAT | os.O_WRONLY, 0o600) == 2
        time.sleep(3)
        acl.aclrtRecordEvent(event, other)

    acl.aclInit(None)
    acl.aclrtSetDevice(0)
    acl.aclrtCreateStream(ctypes.byref(stream))
    acl.aclrtCreateStream(ctypes.byref(other))
    acl.aclrtCreateEventWithFlag(ctypes.byref(event), 1)
    acl.aclrtStreamWaitEvent(stream, event)
    thread = threading.Thread(target=swap_and_record)
    thread.start()
    code = acl.aclrtSynchronizeStream(stream)
    thread.join()
    print("code=%d" % code, flush=True)
""")


def data_on_descriptor_2(build):
    """A program that closed stderr and got the number for a file of its data finds nothing of ours in it."""
    with Program(build, [sys.executable, "-c", DATA, os.path.join(build.simulator, "libascendcl.so")]) as program:
        check(program.end() == 0 and "code=0" in program.stdout(), "status %d: %s" % (program.process.returncode,
                                                                                     program.stdout()))
        check(len(program.reports()) == 1, "%d reports" % len(program.reports()))
        with open(os.path.join(program.cwd, "data"), "rb") as file:
            check(not file.read(), "the program's data has a message of ours in it")


def quiet_logs(build):
    """Logs without a verdict: said, and that nothing of CANN was found in them too, so that silence does not mean health."""
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, "x")
        with open(path, "w", encoding="utf-8") as file:
            file.write("hello\n")
        status, out, err = tool(build, "logs", path)
        check(status == 0 and "nothing wrong found in 1 file; no line" in out and not err, "%d %r %r" % (status, out, err))


def own_status(build):
    """The program's status and signals are its own; run answers 127 and 126 as a shell does."""
    for argv, want in ((["sh", "-c", "exit 7"], 7), (["sh", "-c", "kill -TERM $$"], -signal.SIGTERM),
                       (["/no/such/program"], 127), (["/etc/passwd"], 126), (["/"], 126), (["true"], 0)):
        status, _, err = tool(build, "run", "--", *argv)
        check(status == want, "run -- %s ended with %d, not %d: %s" % (" ".join(argv), status, want, err))
    status, out, _ = tool(build, "run", "--", "sh", "-c", "echo $LD_PRELOAD")
    check("libcannwatch.so" in out, "run does not preload: " + out)
    for argv in (["sh", "-c", "exit 9"], ["sh", "-c", "kill -9 $$"], ["sh", "-c", "echo hi; (exit 3)"]):
        plain = subprocess.run(argv, env=clean_environment(), capture_output=True, check=False)
        with Program(build, argv) as program:
            program.end()
            check(program.process.returncode == plain.returncode, "status differs under the shim")
            check(not program.stderr() and not os.listdir(program.cwd), "a program without CANN, and a trace of us")


def wrong_usage(build):
    for argv in (["attach"], ["attach", "notanumber"], ["nonsense"], ["logs"], ["run"], ["attach", "--nonsense", "1"]):
        status, out, err = tool(build, *argv)
        check(status == 2, "%r ended with %d" % (argv, status))
        check(err and not out, "%r: usage belongs on stderr" % argv)
    for argv in (["--help"], ["attach", "--help"], ["logs", "--help"], ["run", "--help"], ["version"]):
        status, out, err = tool(build, *argv)
        check(status == 0 and out, "%r ended with %d" % (argv, status))


def ring_directory():
    return "/dev/shm/cannwatch-%d" % os.getuid()


def bad_rings(build):
    """A ring that is missing, cut, foreign, newer or noise: one clear line, exit 1."""
    sleeper = subprocess.Popen(["sleep", "1000"], env=clean_environment())
    os.makedirs(ring_directory(), mode=0o700, exist_ok=True)
    path = os.path.join(ring_directory(), "%d-0123456789abcdef.ring" % sleeper.pid)
    magic = 0x31474e4952574e43
    bodies = {
        "missing": None,
        "empty": b"",
        "noise": os.urandom(65536),
        "cut": struct.pack("<QII", magic, 1, 0x01020304),
        "newer": struct.pack("<QIIII", magic, 999, 0x01020304, 8192, 1) + bytes(16384),
        "swapped": struct.pack(">QII", magic, 1, 0x01020304) + bytes(16384),
        "not ready": bytes(65536),
        "hostile counts": struct.pack("<QIIII", magic, 1, 0x01020304, 8192, 1) + b"\xff" * 65536,
    }
    try:
        for name, body in bodies.items():
            if body is not None:
                with open(path, "wb") as file:
                    file.write(body)
            # Asked for a process, attach has other ways of looking: only a ring that is named must be good.
            status, out, err = tool(build, "attach", "--ring", path)
            check(status == 1, "%s: attach ended with %d: %s%s" % (name, status, out, err))
            check(len(err.strip().splitlines()) == 1, "%s: not one line: %r" % (name, err))
    finally:
        sleeper.kill()
        sleeper.wait()
        if os.path.exists(path):
            os.unlink(path)
    status, _, err = tool(build, "attach", "999999999")
    check(status in (1, 2) and len(err.strip().splitlines()) <= 2, "no such process: %d %r" % (status, err))


def left_behind(build):
    """A clean exit leaves nothing; after SIGKILL the ring can still be read by pid."""
    with Program(build, [build.example("sync_with_timeout")]) as program:
        program.end()
        left = [n for n in os.listdir(ring_directory()) if n.startswith("%d-" % program.pid)]
        check(not left, "a clean exit left %r" % left)


def knows_no_simulator(build):
    """Nothing outside simulator/, examples/ and tests/ may know the simulator."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    word = "CANN" + "SIM"
    for folder in ("preload", "shm", "probe", "analyzer", "cli"):
        for place, _, files in os.walk(os.path.join(root, folder)):
            for name in files:
                with open(os.path.join(place, name), encoding="utf-8", errors="replace") as file:
                    text = file.read()
                check(word not in text.upper(), "%s/%s knows %s" % (place, name, word))
    own = set()
    for library in os.listdir(build.simulator):
        if re.search(r"\.so(\.\d+)*$", library):
            listing = subprocess.run(["nm", "-D", "--defined-only", os.path.join(build.simulator, library)],
                                     capture_output=True, text=True, check=True).stdout
            own |= {line.split()[-1].split("@")[0] for line in listing.splitlines()}
    known = set()
    with open(os.path.join(root, "shm", "api", "cann_api.tsv"), encoding="utf-8") as table:
        for row in table:
            known.add(row.split("\t")[2])
    # Whatever CANN's public table does not have, but for driver functions that its log lines name.
    strange = own - known - {"halMemAlloc", "halMemFree", "drvMemcpy", "halHostMemAlloc"}
    check(len(own & known) > 100, "the simulator exports only %d known names" % len(own & known))
    for path in (build.tool, build.shim):
        listing = subprocess.run(["strings", "-a", path], capture_output=True, text=True, check=True).stdout
        words = set(listing.split())
        check(not words & strange, "%s names %r" % (path, sorted(words & strange)))
        check(word not in listing.upper(), "%s knows %s" % (path, word))


if __name__ == "__main__":
    main([invisible_helper, python_pool, data_on_descriptor_2, quiet_logs, own_status, wrong_usage, bad_rings, left_behind, knows_no_simulator])
