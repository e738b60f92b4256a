# SPDX-License-Identifier: Apache-2.0
"""Generates the borders of the split layout.

usage: make_split.py rt RT_H NAMES_H TABLE_H TABLE_C FRONT_C
       make_split.py acl NM LIBRARY EXTRA_DEF NAMES_H JUMPS_S

rt: every SIM_EXPORT function of rt.h gets a mangled name in libruntime_v100.so
(NAMES_H), a slot in the table that library hands over (TABLE_H, TABLE_C) and a
function of its own name in libruntime.so that calls through the table (FRONT_C);
SIM_INNER ones get a slot only.
acl: every acl function that the classic LIBRARY exports, and those EXTRA_DEF
lists as NAME in (NAME) or `aclError NAME(`, is renamed to ...Impl (NAMES_H) and
gets a bare jump under its public name (JUMPS_S).
"""
import re
import subprocess
import sys

LICENSE = "SPDX-License-Identifier: Apache-2.0"
PROTOTYPE = re.compile(r"^(SIM_EXPORT|SIM_INNER)\s+([^;{}#]*?)\b(\w+)\(([^;{}]*?)\)\s*(?:FRAME\([^;]*\))?;", re.M)
BUILTIN = {"void": "v", "bool": "b", "char": "c", "int": "i", "float": "f", "double": "d", "int32_t": "i",
           "uint8_t": "h", "uint16_t": "t", "uint32_t": "j", "uint64_t": "m", "int64_t": "l", "size_t": "m",
           "rtMemcpyKind_t": "i", "rtMemType_t": "i", "rtEventStatus_t": "i", "rtEventWaitStatus_t": "i",
           "rtStreamCaptureMode": "i", "rtError_t": "i"}
CLASSES = {"rtStream_t": "Stream", "rtEvent_t": "Event", "rtNotify_t": "Notify", "rtContext_t": "Context",
           "rtModel_t": "Model", "rtCntNotify_t": "CountNotify"}


class Mangler:
    """Itanium names for the few kinds of types that occur, with substitutions."""

    def __init__(self, scope):
        self.known = ["3cce", "3cce7runtime", "3cce7runtime%d%s" % (len(scope), scope)]
        self.scope = scope

    def reference(self, at):
        return "S_" if at == 0 else "S%s_" % "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[at - 1]

    def component(self, key, text):
        if key in self.known:
            return self.reference(self.known.index(key))
        self.known.append(key)
        return text

    def type(self, text):
        text = text.replace("struct ", "").strip()
        text = re.sub(r"\*\s*const$", "*", text)
        if text.endswith("*"):
            key = "P:" + text
            inner = None if key in self.known else self.type(text[:-1])
            return self.component(key, "P%s" % inner)
        words = text.split()
        if "const" in words:
            words.remove("const")
            key = "K:" + text
            inner = None if key in self.known else self.type(" ".join(words))
            return self.component(key, "K%s" % inner)
        name = " ".join(words)
        if name in BUILTIN:
            return BUILTIN[name]
        if name in CLASSES:
            return self.type_class(CLASSES[name], True)
        return self.component("N:" + name, "%d%s" % (len(name), name))

    def type_class(self, name, pointer):
        key = "C:" + name
        inner = None
        if "P:" + key not in self.known:
            inner = self.component(key, "NS0_%d%sE" % (len(name), name))
        return self.component("P:" + key, "P%s" % inner)

    def function(self, name, parameters):
        types = [self.type(re.sub(r"^const\s+(\w+)$", r"\1", t)) for t in parameters] or ["v"]
        return "_ZN3cce7runtime%d%s%d%sE%s" % (len(self.scope), self.scope, len(name), name, "".join(types))


def parameter_split(text):
    """Type and name of each parameter."""
    text = " ".join(text.split())
    if text in ("", "void"):
        return []
    pairs = []
    for part in text.split(","):
        m = re.match(r"^(.*?[\s*])(\w+)$", part.strip())
        if not m:
            sys.exit("cannot read parameter: " + part)
        pairs.append((m.group(1).strip(), m.group(2)))
    return pairs


def prototypes(path):
    with open(path, encoding="utf-8") as f:
        text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
    for kind, result, name, parameters in PROTOTYPE.findall(text):
        yield kind, " ".join(result.split()), name, parameter_split(parameters)


def write(path, comment, lines):
    with open(path, "w", encoding="utf-8") as f:
        f.write("/* %s */\n/* %s */\n" % (LICENSE, comment))
        f.write("\n".join(lines) + "\n")


def declare(result, name, pairs):
    parameters = ", ".join("%s %s" % p for p in pairs) or "void"
    return "%s%s%s(%s)" % (result, "" if result.endswith("*") else " ", name, parameters)


def make_rt(header, names, table_h, table_c, front):
    functions = list(prototypes(header))
    mangled, slots, entries, fronts = [], [], [], []
    for kind, result, name, pairs in functions:
        slots.append("\t%s;" % declare(result, "(*%s)" % name, pairs))
        entries.append("\t.%s = %s," % (name, name))
        if kind == "SIM_INNER":
            continue
        short = re.sub(r"^rts?", "", name)
        label = Mangler("ApiErrorDecorator" if not name.startswith("rts") else "ApiDecorator")
        mangled.append("#pragma redefine_extname %s %s" % (name, label.function(short, [t for t, _ in pairs])))
        call = "rt_table()->%s(%s);" % (name, ", ".join(n for _, n in pairs))
        fronts.append("%s\n{\n\t%s%s\n}\n" % (declare(result, name, pairs),
                                              "" if result == "void" else "return ", call))
    write(names, "Names of the runtime's functions in libruntime_v100.so.", mangled)
    write(table_h, "What libruntime_v100.so offers to libruntime.so.",
          ["#ifndef SPLIT_RT_TABLE_H", "#define SPLIT_RT_TABLE_H", '#include "simulator/runtime/rt.h"',
           "struct rt_table {"] + slots + ["};", "#endif"])
    write(table_c, "The table that libruntime.so asks for by name.",
          ['#include "split_rt_table.h"', "SIM_EXPORT const struct rt_table *ConstructRuntimeImpl(void);",
           "static const struct rt_table table = {"] + entries +
          ["};", "const struct rt_table *ConstructRuntimeImpl(void)", "{", "\treturn &table;", "}"])
    write(front, "rt functions of libruntime.so.", ['#include "simulator/runtime/front.h"'] + fronts)


def make_acl(nm, library, extra, names, jumps):
    listing = subprocess.run([nm, "-D", "--defined-only", library], check=True, capture_output=True,
                             text=True).stdout
    found = set(re.findall(r" T (acl\w+)$", listing, re.M))
    with open(extra, encoding="utf-8") as f:
        found |= set(re.findall(r"^MASTER(?:_REST)?\((\w+)\)", f.read(), re.M))
    if not found:
        sys.exit("no functions found in " + library)
    write(names, "Bodies of public functions are called ...Impl here.",
          ["#define %s %sImpl" % (n, n) for n in sorted(found)])
    lines = ['#if defined(__aarch64__)', "#define JUMP b", "#define AT(name) name", "#else",
             "#define JUMP jmp", "#define AT(name) name@PLT", "#endif", "\t.text"]
    for n in sorted(found):
        lines += ["\t.p2align 4", "\t.globl %s" % n, "\t.type %s, %%function" % n, "%s:" % n,
                  "\t.cfi_startproc", "\tJUMP AT(%sImpl)" % n, "\t.cfi_endproc", "\t.size %s, . - %s" % (n, n)]
    lines.append('\t.section .note.GNU-stack,"",%progbits')
    write(jumps, "Public acl functions: bare jumps, so that their names never show on a stack.", lines)


if __name__ == "__main__":
    if sys.argv[1] == "rt" and len(sys.argv) == 7:
        make_rt(*sys.argv[2:])
    elif sys.argv[1] == "acl" and len(sys.argv) == 7:
        make_acl(*sys.argv[2:])
    else:
        sys.exit(__doc__)
