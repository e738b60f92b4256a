#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Names and lines from every place they can come from: own tables, a separate debug file (found by its link, checked
# by build id or checksum), .gnu_debugdata; and none from a debug file that does not belong to the program.
# Usage: test_symbols.sh CANNWATCH SOURCE_FOLDER
set -uo pipefail
cannwatch=$1
source=$2
top=$(cd "$source/../.." && pwd)
work=$(mktemp -d)
passed=0 failed=0 skipped=0
pid=
cleanup() {
	[ -z "$pid" ] || kill -9 "$pid" 2>/dev/null
	rm -rf "$work"
}
trap cleanup EXIT

# stacks_of PROGRAM [OPTION...]: what cannwatch prints of PROGRAM, standing still
stacks_of() {
	local program=$1 i
	shift
	"$program" plain >/dev/null 2>&1 &
	pid=$!
	for ((i = 0; i < 200; i++)); do
		[ "$(awk '/^State/ { print $2 }' "/proc/$pid/status")" = S ] &&
			[ "$(readlink "/proc/$pid/exe")" = "$program" ] && break
		sleep 0.01
	done
	"$cannwatch" stacks --no-stop "$@" "$pid"
	kill -9 "$pid"
	wait "$pid" 2>/dev/null
	pid=
}

# expect NAME yes|no PATTERN TEXT
expect() {
	local found=no
	grep -Eq "$3" <<<"$4" && found=yes
	if [ $found = "$2" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "failed: $1: '$3' expected: $2" >&2
		echo "$4" >&2
	fi
}

for id in sha1 none; do
	cc -g -O1 -I"$top" -D_GNU_SOURCE -Wl,--build-id=$id -o "$work/whole" "$source/targets/odd.c" -ldl -pthread || exit 1
	expect "whole, $id" yes 'stand_here\+0x[0-9a-f]+ at .*odd\.c:[0-9]+' "$(stacks_of "$work/whole")"
	expect "whole, no lines, $id" no 'odd\.c' "$(stacks_of "$work/whole" --no-lines)"

	objcopy --only-keep-debug "$work/whole" "$work/program.debug"
	strip -s -o "$work/stripped" "$work/whole"
	expect "stripped, $id" no 'stand_here' "$(stacks_of "$work/stripped")"
	expect "stripped is complete, $id" yes '1 full, 0 partial' "$(stacks_of "$work/stripped")"

	(cd "$work" && objcopy --add-gnu-debuglink=program.debug stripped linked)
	expect "debug link, $id" yes 'stand_here\+0x[0-9a-f]+ at .*odd\.c:[0-9]+' "$(stacks_of "$work/linked")"
	mkdir -p "$work/.debug"
	mv "$work/program.debug" "$work/.debug/"
	expect "debug link, folder, $id" yes 'stand_here.*odd\.c:[0-9]+' "$(stacks_of "$work/linked")"

	# a debug file of the right name from another build
	cc -g -O2 -DOTHER=1 -I"$top" -D_GNU_SOURCE -Wl,--build-id=$id -Wl,--defsym,other=1 -o "$work/other" "$source/targets/odd.c" -ldl -pthread
	objcopy --only-keep-debug "$work/other" "$work/.debug/program.debug"
	expect "wrong debug file, $id" no 'stand_here' "$(stacks_of "$work/linked")"
	rm -r "$work/.debug"

	if command -v xz >/dev/null; then
		nm "$work/whole" --format=posix --defined-only | awk '$2 ~ /[tT]/ { print $1 }' >"$work/keep"
		objcopy -S --keep-symbols="$work/keep" "$work/whole" "$work/mini"
		objcopy --only-keep-debug "$work/mini" "$work/mini.debug" && rm -f "$work/mini.debug.xz"
		xz -k "$work/mini.debug"
		objcopy --add-section .gnu_debugdata="$work/mini.debug.xz" "$work/stripped" "$work/packed"
		expect "packed symbols, $id" yes 'stand_here\+0x' "$(stacks_of "$work/packed")"
		head -c 200 "$work/mini.debug.xz" >"$work/cut.xz"
		objcopy --add-section .gnu_debugdata="$work/cut.xz" "$work/stripped" "$work/damaged"
		expect "damaged packed symbols, $id" yes '1 full, 0 partial' "$(stacks_of "$work/damaged")"
	else
		skipped=$((skipped + 2))
	fi
done

if command -v c++ >/dev/null && c++ -g -O1 -o "$work/cpp" "$source/targets/names.cc"; then
	text=$(stacks_of "$work/cpp")
	expect "C++ name" yes 'outer::Inner<long>::stand\(long\)\+0x' "$text"
	expect "expanded call" yes '\(inlined\) +outer::Inner<long>::expanded\(\) at .*names\.cc:[0-9]+' "$text"
	expect "raw name in JSON" yes '"symbol":"_ZN5outer5InnerIlE5standEl"' "$(stacks_of "$work/cpp" --json)"
else
	skipped=$((skipped + 3))
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
