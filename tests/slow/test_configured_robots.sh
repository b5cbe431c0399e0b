#!/usr/bin/env bash
# Every shipped specification, from its file to compiled code that agrees with the model.
. "$(dirname "$0")/../frame/frame.sh"

export XDG_CACHE_HOME=$work/cache

becomes_checked_code() # specification
{
    "$PROGRAM" configure "$1" -o "$work/robot" --json >"$work/out" 2>"$work/err" || cat "$work/err"
    rm -rf "$work/robot"
    jq -r 'select(.engine != "generated" or .self_check == null or .self_check > 1e-9) |
        "engine \(.engine), self-check \(.self_check)"' "$work/out"
}

for spec in models/specs/*.spec; do
    name=${spec##*/}
    check_as "K01_${name%.spec}_becomes_checked_code" becomes_checked_code "$spec"
done
finish
