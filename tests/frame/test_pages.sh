#!/usr/bin/env bash
# The commands on the pages do what the pages say. Run from a clean copy of the project, page by page,
# README.md first, so that the program is built as a newcomer builds it. What a fence says:
#
#     ```sh             the commands are run, from the top folder; each must succeed
#     ```sh not-run     not run here: it needs another machine, or is what runs this
#     ```text output    exactly what the commands before it print
#     ```c arm.c        written to that file first; so with any other language
. "$(dirname "$0")/frame.sh"

copy=$work/linkwork
mkdir "$copy" "$work/home" "$work/blocks"
project_files | tar -c -T - -f - | tar -x -C "$copy" -f -
export HOME=$work/home
unset MAKEFLAGS MAKELEVEL MFLAGS

# Each block becomes a file blocks/NUMBER, its page, line, and fence in blocks/list.
split_pages() # pages
{
    awk -v dir="$work/blocks" '
        FNR == 1 { is_open = 0 }
        /^```/ && !is_open {
            is_open = 1
            file = sprintf("%s/%03d", dir, ++n)
            printf "" > file
            printf "%03d\t%s\t%d\t%s\n", n, FILENAME, FNR, substr($0, 4) > (dir "/list")
            next
        }
        /^```/ { is_open = 0; close(file); next }
        is_open { print > file }' "$@"
}

run_block() # number
{
    (cd "$copy" && bash -eu -o pipefail "$work/blocks/$1" </dev/null >"$work/stdout" 2>"$work/stderr") || {
        cat "$work/stdout" "$work/stderr" | tail -n 30
        return 1
    }
}

is_exactly() # number
{
    diff "$work/blocks/$1" "$work/stdout"
}

# Links to files and folders of the project lead somewhere.
links_lead_somewhere()
{
    local page link
    for page in $pages; do
        grep -oE '\]\([^)#:]+[)#]' "$page" | sed 's/^](//; s/[)#]$//' | while IFS= read -r link; do
            [ -e "$(dirname "$page")/$link" ] || echo "$page: $link does not exist"
        done
    done
}

# The library that README.md builds is, byte for byte, the one that was built elsewhere.
builds_are_reproducible()
{
    cmp "$copy/build/liblinkwork.a" "$BUILD_DIR/liblinkwork.a"
}

pages="README.md $(project_files '*.md' | grep -vx README.md)"
split_pages $pages
while IFS=$'\t' read -r number page line fence; do
    read -r language word <<<"$fence"
    name=${page}_line_$line
    case "$language $word" in
    "sh ") check_as "$name" run_block "$number" ;;
    "text output") check_as "$name" is_exactly "$number" ;;
    "sh not-run" | *" ") ;;
    *) cp "$work/blocks/$number" "$copy/$word" ;;
    esac
done <"$work/blocks/list"
check links_lead_somewhere

if grep -qs 'CMAKE_BUILD_TYPE:.*=Release' "${BUILD_DIR:-}/CMakeCache.txt" && [ "${CC##*/}" = gcc ]; then
    check builds_are_reproducible
else
    skip builds_are_reproducible "this is not a release build by gcc"
fi
finish
