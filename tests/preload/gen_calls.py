#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a stand-in for every wrapped function, and a caller of each, from shm/api.def.

usage: gen_calls.py api.def exports.map fake.inc calls.inc
"""
import re
import sys

LINE = re.compile(r"(API_\w+)\((\w+), (\w+), (\w+), ([^,]+), \(([^()]*)\), \(([^()]*)\), ")


def parameters(text):
    if text == "void":
        return []
    return [p.rsplit("a", 1)[0].strip() for p in text.split(", ")]


def fake(name, returns, declared, count):
    out = ["%s %s(%s);" % (returns, name, declared), "%s %s(%s)" % (returns, name, declared), "{",
           "\tfake_enter(\"%s\");" % name]
    out += ["\tfake_argument(%d, &a%d, sizeof(a%d));" % (i, i, i) for i in range(count)]
    if returns == "void":
        out += ["\tfake_leave();"]
    elif returns == "int":
        out += ["\treturn (int)fake_leave();"]
    else:
        out += ["\treturn (void *)fake_leave();"]
    return "\n".join(out + ["}", ""])


def call(name, family, returns, declared, types):
    out = ["%s %s(%s);" % (returns, name, declared), "static void call_%s(void)" % name, "{"]
    for i, kind in enumerate(types):
        if kind == "void *":
            out.append("\tvoid *a%d = call_pointer(%d, %d);" % (i, i, family in ("HAL", "ATRACE")))
        else:
            out.append("\t%s a%d = (%s){ 0 };" % (kind, i, kind))
            out.append("\tcall_pattern(%d, &a%d, sizeof(a%d));" % (i, i, i))
    out.append("\tcall_begin();")
    result = {"int": "intptr_t result = ", "void": "", "void *": "intptr_t result = (intptr_t)"}[returns]
    out.append("\t%s%s(%s);" % (result, name, ", ".join("a%d" % i for i in range(len(types)))))
    out += ["\tcall_check(\"%s\", %d, &a%d, sizeof(a%d));" % (name, i, i, i) for i in range(len(types))]
    out.append("\tcall_end(\"%s\", %d, %s);" % (name, len(types), "result" if result else "call_answer"))
    return "\n".join(out + ["}", ""])


def main():
    exported = set(re.findall(r"^\t\t(\w+);$", open(sys.argv[2]).read(), re.M)) - {"dlclose", "dlsym", "dlvsym", "pthread_create"}
    fakes, calls, names = [], [], []
    for line in open(sys.argv[1]):
        found = LINE.match(line)
        if not found or found.group(4) not in exported:
            continue
        _, family, _, name, returns, declared, _ = found.groups()
        types = parameters(declared)
        fakes.append(fake(name, returns, declared, len(types)))
        calls.append(call(name, family, returns, declared, types))
        names.append(name)
    if set(names) != exported:
        sys.exit("gen_calls.py: not every exported name has a row: %s" % (exported - set(names)))
    with open(sys.argv[3], "w") as out:
        out.write("\n".join(fakes))
    with open(sys.argv[4], "w") as out:
        out.write("\n".join(calls))
        out.write("\nstatic void (*const all_calls[])(void) = {\n")
        out.write("".join("\tcall_%s,\n" % name for name in names) + "};\n")


main()
