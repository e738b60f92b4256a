#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes api.def (one X-macro line per function) the version script and
the sorted list of names from api/cann_api.tsv.

usage: gen_api.py TSV api.def exports.map api_sorted.inc

Parameters are spelled as the calling conventions of x86-64 and aarch64 see them: pointers as
void *, integers by their width, enums as int. Python 3.6, standard library only.
"""
import re
import sys

# Functions without a role in the table that tell the shim something it needs.
EXTRA_ROLES = {
    "aclrtGetCurrentContext": "context-tell",
    "aclrtCtxGetCurrentDefaultStream": "stream-tell",
    "aclrtStreamGetId": "stream-id-tell",
    "aclrtBinaryGetFunction": "function-tell",
    "aclrtGetFunctionName": "function-tell",
}
# Arguments that are objects though the table does not call them so.
EXTRA_OBJECT = {"aclrtValueWait": 0, "aclrtValueWrite": 0, "aclmdlRIExecuteAsync": 0}
# The oldest toolkit that lacks a name decides whether exporting it could mislead a caller
# that tests for it.
NEWEST_EXPORTED = (8, 5)
FEEDS = ("hal", "atrace")  # written by hand: they refine a call instead of being one

INTEGERS = {
    "int32_t": "int32_t", "uint32_t": "uint32_t", "int64_t": "int64_t", "uint64_t": "uint64_t",
    "size_t": "size_t", "uint8_t": "uint8_t", "uint16_t": "uint16_t", "int": "int", "bool": "bool",
    "rtMemType_t": "uint32_t",
}
STRUCTS = {
    "dim3": "struct api_triple", "rtDim3": "struct api_triple",
    "aclrtMemManagedLocation": "struct api_pair",
    "aclrtIpcEventHandle": "struct api_bytes64",
}
# typedefs of pointers
POINTERS = {
    "aclrtStream", "aclrtEvent", "aclrtContext", "aclrtNotify", "aclrtCntNotify", "aclrtLabel",
    "aclrtLabelList", "aclrtFuncHandle", "aclrtArgsHandle", "aclrtBinHandle", "aclmdlRI", "aclrtMemPool",
    "aclrtDeviceStateCallback", "aclrtStreamStateCallback", "aclrtDeviceTaskAbortCallback", "aclrtCallback",
    "aclrtHostFunc", "aclrtExceptionInfoCallback", "HcclComm", "TraHandle", "TraEventHandle",
    "rtStream_t", "rtEvent_t", "rtNotify_t", "rtCntNotify_t", "rtModel_t", "rtCallback_t",
    "rtsDeviceTaskAbortCallback", "rtFuncHandle", "rtArgsHandle", "rtMemcpyDesc_t", "rtCmoDesc_t",
    "rtDvppGrp_t",
}
ENUMS = {
    "aclrtMemMallocPolicy", "aclrtMemcpyKind", "aclrtCallbackBlockType", "aclopEngineType", "aclopCompileType",
    "aclrtReduceKind", "aclDataType", "aclrtCmoType", "aclrtCondition", "aclrtCompareDataType",
    "aclmdlRICaptureMode", "aclrtTsId", "acldumpType", "HcclDataType", "HcclReduceOp",
    "rtStreamCaptureMode", "rtFloatOverflowMode_t", "rtDevResLimitType_t", "rtClearStep_t",
    "rtMemcpyKind_t", "rtMemcpyKind", "rtRecudeKind_t", "rtDataType_t", "rtCondition_t",
    "rtSwitchDataType_t", "rtCmoOpCode",
}


def split_parameters(text):
    """Splits at commas outside parentheses."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += c == "("
        depth -= c == ")"
        if c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    parts.append(text[start:].strip())
    return [p for p in parts if p and p != "void"]


def spell(parameter, name):
    """The type of one parameter as the calling convention sees it."""
    if "*" in parameter or "[" in parameter or "(" in parameter:
        return "void *"
    words = [w for w in re.findall(r"\w+", parameter) if w not in ("const", "struct")]
    kind = words[0]
    if kind in INTEGERS:
        return INTEGERS[kind] + " "
    if kind in STRUCTS:
        return STRUCTS[kind] + " "
    if kind in POINTERS:
        return "void *"
    if kind in ENUMS:
        return "int "
    sys.exit("gen_api.py: %s: how is %s passed?" % (name, kind))


def spell_return(text):
    if text == "void":
        return "void"
    return "void *" if "*" in text else "int"


def version_of(text):
    found = re.match(r"(\d+)\.(\d+)$", text)
    return (int(found.group(1)), int(found.group(2))) if found else (99, 0)


def number(text):
    return int(text) if text else -1


def widened(types, index):
    if index < 0 or types[index].startswith("struct"):
        return "0"
    if types[index].startswith("void"):
        return "(uint64_t)(uintptr_t)a%d" % index
    return "(uint64_t)a%d" % index


def line(row):
    family, role, name, returns, parameters, stream, obj, timeout, since = row
    types = [spell(p, name) for p in split_parameters(parameters)]
    stream, obj, timeout = number(stream), number(obj), number(timeout)
    obj = EXTRA_OBJECT.get(name, obj)
    declared = ", ".join("%sa%d" % (t, i) for i, t in enumerate(types)) or "void"
    passed = ", ".join("a%d" % i for i in range(len(types)))
    first = [widened(types, i) if i < len(types) else "0" for i in range(4)]
    returns = spell_return(returns)
    macro = "API_FEED" if family in FEEDS else {"void": "API_VOID", "void *": "API_TEXT"}.get(returns, "API_CALL")
    return '%s(%s, %s, %s, %s, (%s), (%s), (%s), %s, %s, %s, %d, %d, %d, "%s")' % (
        macro, family.upper(), role.upper().replace("-", "_"), name, returns, declared, passed,
        ", ".join(first), widened(types, stream), widened(types, obj), widened(types, timeout),
        stream, obj, timeout, since)


def rows_read(path):
    with open(path, encoding="utf-8") as file:
        rows = [l.rstrip("\n").split("\t") for l in file if not l.startswith("#")][1:]
    for row in rows:
        row += [""] * (9 - len(row))
        row[1] = EXTRA_ROLES.get(row[2], row[1])
    return [row for row in rows if row[1] != "-"]


def main():
    rows = rows_read(sys.argv[1])
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        out.write("/* Made by gen_api.py from api/cann_api.tsv; see there. */\n")
        out.write("/* macro(family, role, name, return, parameters, arguments, first four as numbers,\n"
                  "   stream, object, timeout, their indexes, since) */\n")
        for row in rows:
            out.write(line(row) + "\n")
    exported = sorted(row[2] for row in rows if version_of(row[8]) <= NEWEST_EXPORTED)
    with open(sys.argv[3], "w", encoding="utf-8") as out:
        out.write("{\n\tglobal:\n")
        for name in exported + ["dlclose", "dlsym", "dlvsym", "pthread_create"]:
            out.write("\t\t%s;\n" % name)
        out.write("\tlocal:\n\t\t*;\n};\n")
    with open(sys.argv[4], "w", encoding="utf-8") as out:
        out.write("/* Made by gen_api.py: every name of api.def in strcmp's order, and whether it is exported. */\n")
        for name in sorted(row[2] for row in rows):
            out.write("API_SORTED(%s, %d)\n" % (name, name in exported))


main()
