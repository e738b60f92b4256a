# SPDX-License-Identifier: Apache-2.0
"""The hangs of body.h by ctypes. usage: by_ctypes.py local|global|extension HANG [DIRECTORY OF THE EXTENSION]"""
import ctypes
import sys

EVENT_SYNC = 1


def say(key, value):
    print("%s=%d" % (key, value), flush=True)


class Api:
    def __init__(self, mode):
        self.library = ctypes.CDLL("libascendcl.so", mode=mode)

    def __call__(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status:
            sys.exit("%s -> %d" % (name, status))

    def stream(self):
        handle = ctypes.c_void_p()
        self("aclrtCreateStream", ctypes.byref(handle))
        return handle

    def event(self):
        handle = ctypes.c_void_p()
        self("aclrtCreateEventWithFlag", ctypes.byref(handle), ctypes.c_uint32(EVENT_SYNC))
        return handle

    def say_stream(self, key, stream):
        number = ctypes.c_int32()
        self("aclrtStreamGetId", stream, ctypes.byref(number))
        say(key, number.value)

    def say_event(self, key, event):
        number = ctypes.c_uint32()
        self("aclrtGetEventId", event, ctypes.byref(number))
        say(key, number.value)

    def say_task(self, key):
        number = ctypes.c_uint32()
        self("aclrtGetThreadLastTaskId", ctypes.byref(number))
        say(key, number.value)


def never_recorded(acl, stream, event):
    acl("aclrtStreamWaitEvent", stream, event)
    acl.say_task("task")
    acl.say_stream("stream", stream)
    acl.say_event("event", event)


def cycle(acl, a, from_a):
    b, from_b = acl.stream(), acl.event()
    acl("aclrtStreamWaitEvent", a, from_b)
    acl.say_task("wait_a")
    acl("aclrtRecordEvent", from_a, a)
    acl("aclrtStreamWaitEvent", b, from_a)
    acl.say_task("wait_b")
    acl("aclrtRecordEvent", from_b, b)
    acl.say_stream("stream_a", a)
    acl.say_stream("stream_b", b)
    acl.say_event("event_a", from_a)
    acl.say_event("event_b", from_b)


def main():
    way, hang = sys.argv[1:3]
    if way == "extension":
        sys.path.insert(0, sys.argv[3])
        import extension
        extension.run(hang)
        return
    acl = Api(ctypes.RTLD_GLOBAL if way == "global" else ctypes.RTLD_LOCAL)
    acl("aclInit", None)
    acl("aclrtSetDevice", 0)
    stream, event = acl.stream(), acl.event()
    (cycle if hang == "wait_cycle" else never_recorded)(acl, stream, event)
    say("hanging", 1)
    acl("aclrtSynchronizeStream", stream)


main()
