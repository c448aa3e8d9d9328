#!/usr/bin/env bash
# Builds wheel and sdist from what is committed and installs the wheel in clean environments: with no
# extra, with each extra alone, with all of them.
set -euo pipefail
cd "$(dirname "$0")/.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
constraints=$PWD/.ci/constraints.txt
smoke=$PWD/.ci/smoke.py

mkdir "$scratch/source"
git archive HEAD | tar -x -C "$scratch/source"
python3 -m venv "$scratch/build"
"$scratch/build/bin/pip" install --quiet build
"$scratch/build/bin/python" -m build --outdir "$scratch/dist" "$scratch/source" >"$scratch/build.log" 2>&1 ||
    { cat "$scratch/build.log" >&2; exit 1; }
wheel=$(ls "$scratch"/dist/*.whl)

# Every file of the package is in the wheel, and nothing else is.
diff <(git ls-tree -r --name-only HEAD skfairprop | sort) \
     <(python3 -m zipfile -l "$wheel" | awk '$1 ~ /^skfairprop\// {print $1}' | sort) ||
    { echo "the wheel does not hold exactly the committed files of skfairprop/" >&2; exit 1; }

cd "$scratch" # not where the source is: the wheel is what gets imported
for extra in none explain torch search report frames all; do
    python3 -m venv "$scratch/env"
    wanted=$wheel
    [ "$extra" = none ] || wanted="$wheel[$extra]"
    "$scratch/env/bin/pip" install --quiet -c "$constraints" "$wanted"
    "$scratch/env/bin/python" -W error::DeprecationWarning:skfairprop "$smoke" "$extra"
    rm -rf "$scratch/env"
done
