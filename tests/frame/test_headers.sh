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
        io.h | openmp.h | linkwork.h) ;; # chosen by who needs them
        *) grep -q "<linkwork/${header##*/}>" include/linkwork/linkwork.h || echo "${header##*/} is missing" ;;
        esac
    done
}

# A header that promises real-time safety has all its functions under the watch of tests/alloc.
real_time_functions_are_watched()
{
    local header name
    for header in $(grep -l 'function here is real-time safe' include/linkwork/*.h); do
        sed -n 's/^LW_API [^(]*[ *]\(lw_[a-z0-9_]*\)(.*/\1/p' "$header" | while IFS= read -r name; do
            grep -q "\<$name(" tests/alloc/test_realtime*.c || echo "$name is not in tests/alloc/test_realtime*.c"
        done
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
