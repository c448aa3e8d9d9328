#!/usr/bin/env bash
# Installs what the browser tests need, and prints where axe-core is:
#   export AXE_CORE=$(.ci/browser.sh)
# Debian's chromium by apt-get (as root), axe-core by npm into a temporary folder that stays. Says on
# stderr what it does; quick where everything is there already.
set -euo pipefail

AXE_VERSION=4.14.1
folder="${TMPDIR:-/tmp}/skfairprop-axe-core-$AXE_VERSION"
axe="$folder/node_modules/axe-core/axe.min.js"

if ! command -v chromium >/dev/null && ! command -v google-chrome >/dev/null; then
    echo "installing chromium" >&2
    apt-get update -qq >&2
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
        chromium fonts-liberation >&2
fi
if [ ! -f "$axe" ]; then
    echo "installing axe-core $AXE_VERSION" >&2
    mkdir -p "$folder"
    npm install --silent --no-audit --no-fund --prefix "$folder" "axe-core@$AXE_VERSION" >&2
fi
printf '%s\n' "$axe"
