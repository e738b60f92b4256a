#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Log analysis beside grep and ripgrep. usage: logs.sh BUILD-FOLDER [logs.py's options]
set -euo pipefail
exec python3 "$(dirname "$0")/logs.py" "$1/cli/cannwatch" "${@:2}"
