#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Model to verdict for 1,024 streams of 256 tasks; peers: none does this.
set -euo pipefail
exec "$1/tests/analyzer/bench_graph" "${@:2}"
