#!/usr/bin/env bash
# Each public header alone, in the oldest languages that it promises: C99 and C++11.
. "$(dirname "$0")/frame.sh"

strict="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -Iinclude -fsyntax-only"

# Included twice, with nothing before it.
header_alone() # header, language and standard, compilers
{
    local header=$1 language=$2 standard=$3 compiler
    shift 3
    for compiler in "$@"; do
        ! command -v "$compiler" >/dev/null ||
            printf '#include <linkwork/%s>\n#include <linkwork/%s>\n' "$header" "$header" |
            "$compiler" -std="$standard" $strict -x "$language" -
    done
}

every_header_is_in_the_whole_one()
{
    local header
    for header in include/linkwork/*.h; do
        case ${header##*/} in
        io.h | run.h | constraint_file.h | stiff.h | identify.h | sweep.h | workspace_map.h | workspace_boundary.h | generated.h | openmp.h | linkwork.h) ;; # chosen by who needs them
        *) grep -q "<linkwork/${header##*/}>" include/linkwork/linkwork.h || echo "${header##*/} is missing" ;;
        esac
    done
}

every_header_states_its_promise()
{
    python3 scripts/api.py functions |
        awk -F'\t' '$3 == "?" { print $2 " does not state what it promises" }' | sort -u
}

every_function_is_documented()
{
    python3 scripts/api.py functions | awk -F'\t' '$6 != "documented" { print $1 " has no comment" }'
}

# What the headers state and what tests/alloc proves are the same functions.
real_time_statements_are_proven()
{
    python3 scripts/api.py functions | awk -F'\t' '$4 == "real-time" { print $1 }' | sort >"$work/stated"
    [ "$(wc -l <"$work/stated")" -gt 100 ] || echo "the headers promise too little"
    grep -ohE '\<lw_[a-z0-9_]+\(' tests/alloc/test_realtime*.c | tr -d '(' | sort -u >"$work/called"
    sed -n 's/^static inline .*\<\(lw_[a-z0-9_]*\)(.*/\1/p' include/linkwork/math.h | sort >"$work/inline"
    comm -23 "$work/called" "$work/inline" | comm -3 "$work/stated" - |
        sed 's/^\t\(.*\)/\1 is called by tests\/alloc, but is not stated to be real-time safe/; t
             s/$/ is stated to be real-time safe, but no tests\/alloc\/test_realtime*.c calls it/'
}

# "Thread safe." is stated of what threads call on one machine at the same time.
thread_statements_are_proven()
{
    python3 scripts/api.py functions | awk -F'\t' '$5 == "thread safe" { print $1 }' | sort >"$work/stated"
    sed -n '/^static void \*read_on/,/^}/p' tests/unit/test_machine.c |
        grep -oE '\<lw_machine_[a-z]+\(' | tr -d '(' | sort -u | diff "$work/stated" -
}

# "Thread safe by const": the library does not write through const. Constructors fill what is const for
# everybody else, and destructors free it.
const_is_kept()
{
    local makes='compile/(pack|pack_program|locations)\.c|expr/tape_make\.c|model/model\.c|statics/shaft_control\.c'
    makes+='|dyn/gear_ratios\.c|parts/part\.c|scene/scene\.c'
    local file
    for file in $(find src -name '*.c' ! -path 'src/stiff/*' ! -path 'src/identify/*'); do
        "$CC" -std=c11 -D_GNU_SOURCE -Iinclude -fsyntax-only -Wcast-qual "$file" 2>&1
    done | grep 'cast-qual' | grep -vE "^src/($makes)"
    true
}

for path in include/linkwork/*.h; do
    header=${path##*/}
    check_as "${header%.h}_alone_as_C99" header_alone "$header" c c99 "$CC" gcc clang-14
    check_as "${header%.h}_alone_as_C++11" header_alone "$header" c++ c++11 g++ clang++-14
done
check every_header_is_in_the_whole_one
check every_header_states_its_promise
check every_function_is_documented
check real_time_statements_are_proven
check thread_statements_are_proven
check const_is_kept
finish
