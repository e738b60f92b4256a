#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a C table of what the types table says of every name the headers declare.

usage: make_layout.py cann_types.tsv out.c header...
The program built from it compares the table with what the compiler made of the headers.
"""
import re
import sys

IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


def read_rows(path):
    with open(path, encoding="utf-8") as table:
        next(table)
        for line in table:
            row = line.rstrip("\n").split("\t")
            # a broken row is a preprocessor line that has lost its columns
            if len(row) == 4:
                yield row


def declared_words(paths):
    words = set()
    for path in paths:
        with open(path, encoding="utf-8") as header:
            text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", header.read(), flags=re.S)
            words.update(IDENTIFIER.findall(text))
    return words


def field_name(declaration):
    match = re.search(r"(\w+)\s*(\[[^]]*\])*$", declaration)
    return match.group(1) if match else None


def number(text):
    return text if re.fullmatch(r"-?(0x)?[0-9a-fA-F]+", text) else None


def checks(rows, words):
    for kind, owner, name, value in rows:
        if kind in ("enum", "macro", "error"):
            if name in words and number(value):
                yield f'\t{{ "{name}", (long long)({name}), {value}ll }},'
        elif kind == "struct" and owner in words:
            size = re.fullmatch(r"size (\d+)", value).group(1)
            yield f'\t{{ "sizeof {owner}", sizeof(struct {owner}), {size}ll }},'
        elif kind == "field" and owner in words:
            field = field_name(name)
            match = re.fullmatch(r"offset (\d+) size (\d+)", value)
            if not field or not match:
                continue
            path = f"struct {owner}, {field}"
            yield f'\t{{ "offset {owner}.{field}", offsetof({path}), {match.group(1)}ll }},'
            yield f'\t{{ "size {owner}.{field}", sizeof(((struct {owner} *)0)->{field}), {match.group(2)}ll }},'


def main():
    table, out, *headers = sys.argv[1:]
    words = declared_words(headers)
    with open(out, "w", encoding="utf-8") as result:
        result.write("/* made by make_layout.py */\nconst struct layout_check layout_checks[] = {\n")
        result.write("\n".join(checks(list(read_rows(table)), words)))
        result.write("\n};\nconst unsigned layout_count = sizeof(layout_checks) / sizeof(layout_checks[0]);\n")


main()
