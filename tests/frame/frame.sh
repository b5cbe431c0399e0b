# Sourced by the tests of this folder. They check the project itself: its layers, its objects, its
# form, its installation and its pages.
#
# SOURCE_DIR, BUILD_DIR, PROGRAM and CC come from ctest. Each test of a script is a shell function that
# prints what is wrong, and is run by `check NAME`, or by `check_as NAME FUNCTION ARGUMENT...`.
set -u
SOURCE_DIR=${SOURCE_DIR:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
CC=${CC:-gcc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
cd "$SOURCE_DIR" || exit 1

# A test passes when its function prints nothing and returns 0.
check_as() # name, function, arguments
{
    local name=$1 output status
    shift
    output=$("$@" 2>&1)
    status=$?
    if [ $status -eq 0 ] && [ -z "$output" ]; then
        echo "ok      $name"
    else
        [ -z "$output" ] || echo "$output"
        echo "FAILED  $name"
        failures=$((failures + 1))
    fi
}

check() # function
{
    check_as "$1" "$1"
}

skip() # name, reason
{
    echo "skip: $2"
    echo "skipped $1"
}

finish()
{
    [ "$failures" -eq 0 ]
    exit
}

# The project's files, as git has them or would take them; everything but the build where there is no
# git, as in a release archive.
project_files() # patterns
{
    if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git ls-files --cached --others --exclude-standard -- "$@" | while IFS= read -r file; do
            [ ! -f "$file" ] || echo "$file"
        done
    else
        local pattern names=()
        for pattern in "$@"; do
            names+=(${names[0]+-o} -path "./$pattern")
        done
        [ ${#names[@]} -gt 0 ] || names=(-true)
        find . -path ./build -prune -o -type f \( "${names[@]}" \) -print | sed 's,^\./,,'
    fi
}
