#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Native stacks of many threads: wall time, the longest gap that a thread of the target saw meanwhile, and how
# many stacks were full, beside gdb, eu-stack and libunwind-ptrace where they are installed.
# Usage: stacks.sh BUILD [ROUNDS]. Prints "name value unit". Compiles its target itself: the options matter.
set -euo pipefail
build=$(realpath "$1")
rounds=${2:-5}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
target_pid=
cleanup() {
	[ -z "$target_pid" ] || kill -9 "$target_pid" 2>/dev/null || true
	rm -rf "$work"
}
trap cleanup EXIT
compiler=${CC:-cc}
cannwatch=$build/cli/cannwatch

"$compiler" -O2 -g -fomit-frame-pointer -o "$work/o2" "$here/stacks_target.c" -pthread
"$compiler" -O0 -g -fno-omit-frame-pointer -o "$work/o0" "$here/stacks_target.c" -pthread
"$compiler" -O2 -o "$work/peer" "$here/stacks_peer.c" -lunwind-ptrace -lunwind-generic -lunwind 2>/dev/null ||
	"$compiler" -O2 -o "$work/peer" "$here/stacks_peer.c" -lunwind-ptrace -lunwind-x86_64 -lunwind 2>/dev/null || true

# The fastest of several rounds, and the longest gap that went with it.
measure() {
	local name=$1 best= gap= start end took seen i
	shift
	for ((i = 0; i < rounds; i++)); do
		echo >&"${target[1]}"
		read -r seen <&"${target[0]}"
		start=${EPOCHREALTIME/./}
		"$@" >"$work/out" 2>/dev/null || return 0
		end=${EPOCHREALTIME/./}
		echo >&"${target[1]}"
		read -r seen <&"${target[0]}"
		took=$((end - start))
		if [ -z "$best" ] || [ "$took" -lt "$best" ]; then
			best=$took
			gap=$seen
		fi
	done
	awk -v n="$name" -v w="$best" -v g="$gap" 'BEGIN { printf "%s_wall %.1f ms\n%s_longest_gap %.2f ms\n", n, w / 1000, n, g / 1000 }'
}

shares() {
	awk -v n="$1" '/^[0-9]+ threads/ { for (i = 1; i < NF; i++) if ($(i + 1) ~ /^(full|partial|refused)/)
		{ sub(/[,;]/, "", $(i + 1)); printf "%s_%s %d stacks\n", n, $(i + 1), $i } }' "$work/out"
}

one() {
	local kind=$1 threads=$2 depth=$3 label="stacks_$1_$2x$3"
	coproc target { exec "$work/$kind" "$threads" "$depth"; }
	target_pid=$target_PID
	sleep 1
	measure "${label}_nothing" sleep 0.05
	measure "${label}_cannwatch_nostop" "$cannwatch" stacks --no-stop "$target_pid"
	shares "${label}_cannwatch_nostop"
	measure "${label}_cannwatch" "$cannwatch" stacks "$target_pid"
	shares "${label}_cannwatch"
	if [ -x "$work/peer" ]; then
		measure "${label}_libunwind_ptrace" "$work/peer" "$target_pid"
		measure "${label}_libunwind_ptrace_without_names" "$work/peer" "$target_pid" bare
	fi
	command -v eu-stack >/dev/null && measure "${label}_eu_stack" eu-stack -p "$target_pid"
	command -v gdb >/dev/null && measure "${label}_gdb" gdb -nx -batch -p "$target_pid" -ex 'thread apply all bt'
	kill -9 "$target_pid"
	wait "$target_pid" 2>/dev/null || true
	target_pid=
}

for kind in ${STACKS_KINDS:-o2 o0}; do
	for depth in ${STACKS_DEPTHS:-20 200}; do
		for threads in ${STACKS_THREADS:-1 64 512}; do
			one "$kind" "$threads" "$depth"
		done
	done
done
