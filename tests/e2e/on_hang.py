# SPDX-License-Identifier: Apache-2.0
"""CANNWATCH_ON_HANG, and the sweeping of rings that are left behind."""
import glob
import os
import signal
import time

from harness import Program, check, main, tool


def rings(pid):
    return glob.glob("/dev/shm/cannwatch-%d/%d-*.ring" % (os.geteuid(), pid))


def hang(build, setting, directory=None):
    return Program(build, [build.example("event_never_recorded")], {"CANNWATCH_ON_HANG": setting}, cwd=directory)


def on_hang_abort(build):
    with hang(build, "abort") as program:
        check(program.end(15) == -signal.SIGABRT, "status %d" % program.process.returncode)
        check(len(program.reports()) == 1, "the report was not written first: %r" % program.reports())
        check("event-never-recorded" in program.stderr(), program.stderr())


def on_hang_signal(build):
    with hang(build, "signal:%d" % signal.SIGUSR1) as program:
        check(program.end(15) == -signal.SIGUSR1, "status %d" % program.process.returncode)
    with hang(build, "report") as program:
        program.report(1, 15)
        time.sleep(1)
        check(program.process.poll() is None, "ended though only a report was asked for")


def on_hang_exec(build):
    """The command knows the process, is not its child, and does not get the preload library."""
    with hang(build, "exec:echo pid=$CANNWATCH_PID parent=$PPID preload=$LD_PRELOAD > made; sleep 0.5") as program:
        made = os.path.join(program.cwd, "made")
        program.wait_for(lambda: os.path.exists(made) and os.path.getsize(made), 15, "the command's file")
        with open(made, encoding="utf-8") as file:
            words = dict(word.split("=", 1) for word in file.read().split())
        check(words["pid"] == str(program.pid), "%r" % words)
        check(words["parent"] != str(program.pid), "the command is the program's child")
        check(words["preload"] == "", "%r" % words)
        time.sleep(1)
        check(program.process.poll() is None, "the program ended")


def not_on_a_healthy_end(build):
    """What is only slow and ends well is not acted on before its limit."""
    with Program(build, [build.example("sync_with_timeout")], {"CANNWATCH_ON_HANG": "exec:touch made"}) as program:
        check(program.end() == 0, "status %d" % program.process.returncode)
    with Program(build, [build.example("healthy"), "--seconds", "3"], {"CANNWATCH_ON_HANG": "abort"}) as program:
        check(program.end() == 0, "a healthy program: status %d: %s" % (program.process.returncode, program.stderr()))


def gc(build):
    with Program(build, [build.example("event_never_recorded")]) as living, \
            Program(build, [build.example("event_never_recorded")]) as killed:
        living.wait_for_output("hanging=1")
        killed.wait_for_output("hanging=1")
        killed.process.kill()
        killed.process.wait()
        left = rings(killed.pid)
        check(len(left) == 1 and len(rings(living.pid)) == 1, "rings before: %r" % left)
        status, out, err = tool(build, "gc", "--dry-run")
        check(status == 0 and left[0] in out and os.path.exists(left[0]), "dry run: %d %s %s" % (status, out, err))
        check(rings(living.pid)[0] not in out, "a living one: " + out)
        # Another namespace's: pretended by its header.
        other = os.path.join(os.path.dirname(left[0]), "%d-0123456789abcdef.ring" % killed.pid)
        with open(left[0], "rb") as file:
            image = bytearray(file.read(8192))
        image[32:40] = (1).to_bytes(8, "little")
        with open(other, "wb") as file:
            file.write(image)
        status, out, err = tool(build, "gc")
        check(status == 0 and not os.path.exists(left[0]), "gc: %d %s %s" % (status, out, err))
        check(os.path.exists(other), "it removed a ring of another pid namespace")
        check(len(rings(living.pid)) == 1, "it removed a living one")
        os.unlink(other)
    check(tool(build, "gc", "now")[0] == 2, "an argument is accepted")


if __name__ == "__main__":
    main([on_hang_abort, on_hang_signal, on_hang_exec, not_on_a_healthy_end, gc])
