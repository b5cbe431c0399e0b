#!/usr/bin/env bash
# install.sh GROUP...: installs the Debian packages that a group of commands needs.
#
#   build   what the library and the program are built of
#   test    what `make test` needs besides
#   bench   what `make bench` needs besides: the libraries that it compares with
#
# What is there is left alone, and then nothing is asked of the network. Where packages cannot be
# installed it says which ones are missing, and ends with exit code 1.
set -u

# A package, and how to see without dpkg that what it gives is there.
build="
gcc              command -v cc
libc6-dev        echo '#include <stdio.h>' | cc -E -
make             command -v make
cmake            command -v cmake
pkg-config       command -v pkg-config
libexpat1-dev    pkg-config --exists expat
libjansson-dev   pkg-config --exists jansson
"
test="
gcc                 command -v gcc
g++                 command -v c++
clang-14            command -v clang-14
libclang-rt-14-dev  clang-14 -fsanitize=address -x c -o /dev/null - <<<'int main(void){return 0;}'
clang-format-14     command -v clang-format-14
locales             localedef --list-archive
valgrind            command -v valgrind
jq                  command -v jq
libxml2-utils       command -v xmllint
librsvg2-bin        command -v rsvg-convert
python3             command -v python3
libmujoco-dev       echo '#include <mujoco/mujoco.h>' | cc -E -
libsundials-dev     echo '#include <cvode/cvode.h>' | cc -E -
"
bench="
g++                command -v c++
liborocos-kdl-dev  pkg-config --exists orocos-kdl
libmujoco-dev      echo '#include <mujoco/mujoco.h>' | cc -E -
"

is_there() # package, check
{
    if command -v dpkg >/dev/null; then
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
    else
        eval "$2" >/dev/null 2>&1
    fi
}

missing=()
for group in "$@"; do
    case $group in
    build | test | bench) ;;
    *)
        echo "install.sh: no group \"$group\"; there are build, test and bench" >&2
        exit 2
        ;;
    esac
    while read -r package check; do
        if [ -n "$package" ] && ! is_there "$package" "$check"; then
            missing+=("$package")
        fi
    done <<<"${!group}"
done
[ ${#missing[@]} -gt 0 ] || exit 0

by_hand()
{
    {
        echo "linkwork needs these packages (Debian's names), and cannot install them: $1."
        echo "Please install them by hand, for example with"
        echo
        echo "    sudo apt-get install ${missing[*]}"
    } >&2
    exit 1
}

command -v apt-get >/dev/null || by_hand "there is no apt-get here"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || by_hand "this is not root, and there is no sudo"
    as_root=(sudo)
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
run_apt()
{
    # Another apt may be running, as after a start of the system: wait for it. Its own option
    # waits for the packages, but not for the lists of packages.
    local tries=0
    until "${as_root[@]}" env LC_ALL=C DEBIAN_FRONTEND=noninteractive \
        apt-get -y -q -o DPkg::Lock::Timeout=600 "$@" >"$log" 2>&1 </dev/null; do
        [[ $(<"$log") == *"Could not get lock"* ]] && [ $((tries += 1)) -lt 120 ] || return 1
        [ "$tries" -gt 1 ] || echo "waiting for another apt to end"
        sleep 5
    done
}

echo "installing: ${missing[*]}"
if ! { run_apt update && run_apt install --no-install-recommends "${missing[@]}"; }; then
    tail -n 20 "$log" >&2
    by_hand "apt-get failed, as told above"
fi
