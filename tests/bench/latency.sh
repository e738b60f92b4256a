#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From the forming of a structural hang to its report, idle and with all cores loaded.
set -euo pipefail
python3 tests/bench/latency.py "$1" "${@:2}"
python3 tests/bench/latency.py "$1" --loaded "${@:2}"
