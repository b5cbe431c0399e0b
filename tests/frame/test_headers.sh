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
        io.h | run.h | stiff.h | generated.h | openmp.h | linkwork.h) ;; # chosen by who needs them
        *) grep -q "<linkwork/${header##*/}>" include/linkwork/linkwork.h || echo "${header##*/} is missing" ;;
        esac
    done
}

# Functions that are promised to be real-time safe: all of a header that says so of every function, and
# elsewhere those whose comment says so.
real_time_functions()
{
    awk '
        FNR == 1 { is_header = is_comment = 0 }
        /function here is real-time safe/ { is_header = 1 }
        /^\/\/\/.*Real-time safe/ { is_comment = 1 }
        /^LW_API / && match($0, /lw_[a-z0-9_]+\(/) {
            if (is_header || is_comment) print substr($0, RSTART, RLENGTH - 1)
        }
        /;$/ { is_comment = 0 }' include/linkwork/*.h
}

# All of them are under the watch of tests/alloc.
real_time_functions_are_watched()
{
    local name
    [ "$(real_time_functions | wc -l)" -gt 30 ] || echo "the headers promise too little"
    real_time_functions | while IFS= read -r name; do
        grep -q "\<$name(" tests/alloc/test_realtime*.c || echo "$name is not in tests/alloc/test_realtime*.c"
    done
}

for path in include/linkwork/*.h; do
    header=${path##*/}
    check_as "${header%.h}_alone_as_C99" header_alone "$header" c c99 "$CC" gcc clang-14
    check_as "${header%.h}_alone_as_C++11" header_alone "$header" c++ c++11 g++ clang++-14
done
check every_header_is_in_the_whole_one
check real_time_functions_are_watched
finish
