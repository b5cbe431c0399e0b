#!/usr/bin/env bash
# A clone alone, without the shared folder of models and reference numbers beside it, passes its
# tests. Run again here are the programs that use that folder; they skip by name what needs it.
. "$(dirname "$0")/frame.sh"
export LINKWORK_SHARED_DIR=$work/absent

programs=$(grep -lE 'shared_(dir|file|names|model)|every_machine|reference_read' tests/unit/test_*.c)

tests_pass_without_the_shared_folder()
{
    local source name
    for source in $programs; do
        name=$(basename "$source" .c)
        "$BUILD_DIR/tests/$name" >"$work/out" 2>&1 || grep -v '^ok ' "$work/out"
        cat "$work/out" >>"$work/all"
    done
    grep -q '^skip: .* is not there' "$work/all" || echo "nothing was skipped: is the folder still used?"
}

check tests_pass_without_the_shared_folder
finish
