#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# cannwatch doctor: says what is there, names the remedy for what is not, and its exit status follows.
# Usage: test_doctor.sh CANNWATCH
set -uo pipefail
cannwatch=$1
passed=0 failed=0 skipped=0
check() {
	local name=$1
	shift
	if "$@"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "failed: $name" >&2
	fi
}

sleep 300 &
pid=$!
trap 'kill $pid 2>/dev/null' EXIT

text=$("$cannwatch" doctor)
check "machine only" grep -q '^[a-z]* *schedstat ' <<<"$text"
check "no target, no reading" bash -c '! grep -q process_vm_readv <<<"$1"' - "$text"
text=$("$cannwatch" doctor $pid)
check "own process, status" test $? = 0
check "own process, readable" grep -q '^good *process_vm_readv' <<<"$text"
check "no shim" grep -q 'preload library is not loaded' <<<"$text"
check "JSON" bash -c '"$1" doctor --json "$2" | python3 -c "
import json, sys
report = json.load(sys.stdin)
assert report[\"schema\"] == \"cannwatch.doctor/1\" and report[\"pid\"] == int(sys.argv[1])
assert all(c[\"state\"] in (\"good\", \"limited\", \"bad\", \"note\") for c in report[\"checks\"])
assert all(c.get(\"remedy\") for c in report[\"checks\"] if c[\"state\"] in (\"limited\", \"bad\"))
" "$2"' - "$cannwatch" $pid
"$cannwatch" doctor 2147483646 >/dev/null 2>&1
check "no such process" test $? = 1
"$cannwatch" doctor nonsense >/dev/null 2>&1
check "wrong usage" test $? = 2

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	copy=$(mktemp -d)
	chmod 755 "$copy"
	cp "$cannwatch" "$copy/cannwatch"
	text=$(setpriv --reuid=65534 --regid=65534 --clear-groups "$copy/cannwatch" doctor $pid)
	check "another user's process, status" test $? = 1
	check "another user's process, reason" grep -q '^bad *process_vm_readv' <<<"$text"
	check "another user's process, remedy" grep -q -- '-> run as the same user' <<<"$text"
	text=$(setpriv --reuid=65534 --regid=65534 --clear-groups "$copy/cannwatch" stacks $pid 2>&1)
	check "stacks of another user's process" test $? = 1
	check "stacks name the remedy" grep -q 'SYS_PTRACE' <<<"$text"
	check "stacks say it in one line" test "$(wc -l <<<"$text")" = 1
	rm -rf "$copy"
else
	skipped=$((skipped + 6))
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
