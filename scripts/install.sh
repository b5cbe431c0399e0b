#!/usr/bin/env bash
# install.sh GROUP...: installs the Debian packages that a group of commands needs.
#
#   build   what the library and the program are built of
#   studio  what the studio in the browser is built of; without it the program has none
#   test    what `make test` needs besides
#   targets C libraries and emulators of other processors, on which `make test` runs the core
#   bench   what `make bench` needs besides: the libraries that it compares with
#
# What is there is left alone, and then nothing is asked of the network. Where packages cannot be
# installed it says which ones are missing, and ends with exit code 1; with 0 for `targets` and
# `studio`, without which parts are left out.
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
studio="
libmicrohttpd-dev pkg-config --exists libmicrohttpd
nodejs            command -v node
npm               command -v npm
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
gfortran            command -v gfortran
python3             command -v python3
python3-cffi        python3 -c 'import cffi'
doxygen             command -v doxygen
libmujoco-dev       echo '#include <mujoco/mujoco.h>' | cc -E -
coinor-libipopt-dev [ -e /usr/include/coin/IpStdCInterface.h ]
libopenmpi-dev      command -v mpicc
openmpi-bin         command -v mpirun
liblapacke-dev      echo '#include <lapacke.h>' | cc -E -
libsundials-dev     echo '#include <cvode/cvode.h>' | cc -E -
libmicrohttpd-dev   pkg-config --exists libmicrohttpd
nodejs              command -v node
npm                 command -v npm
chromium            command -v chromium
"
targets="
lld-14                      command -v wasm-ld-14
qemu-user                   command -v qemu-s390x
binutils-s390x-linux-gnu    command -v s390x-linux-gnu-ld
libc6-dev-s390x-cross       [ -e /usr/s390x-linux-gnu/lib/libc.a ]
libgcc-12-dev-s390x-cross   [ -e /usr/lib/gcc-cross/s390x-linux-gnu/12/libgcc.a ]
libc6-dev-armhf-cross       [ -e /usr/arm-linux-gnueabihf/lib/libc.a ]
libgcc-12-dev-armhf-cross   [ -e /usr/lib/gcc-cross/arm-linux-gnueabihf/12/libgcc.a ]
libc6-dev-arm64-cross       [ -e /usr/aarch64-linux-gnu/lib/libc.a ]
libgcc-12-dev-arm64-cross   [ -e /usr/lib/gcc-cross/aarch64-linux-gnu/12/libgcc.a ]
binutils-riscv64-linux-gnu  command -v riscv64-linux-gnu-ld
libc6-dev-riscv64-cross     [ -e /usr/riscv64-linux-gnu/lib/libc.a ]
libgcc-12-dev-riscv64-cross [ -e /usr/lib/gcc-cross/riscv64-linux-gnu/12/libgcc.a ]
wasi-libc                   [ -e /usr/lib/wasm32-wasi/libc.a ]
libclang-rt-14-dev-wasm32   [ -e /usr/lib/llvm-14/lib/clang/14.0.6/lib/wasi/libclang_rt.builtins-wasm32.a ]
nodejs                      command -v node
"
bench="
g++                command -v c++
liborocos-kdl-dev  pkg-config --exists orocos-kdl
libfcl-dev         pkg-config --exists fcl
libmujoco-dev      echo '#include <mujoco/mujoco.h>' | cc -E -
"

is_there() # package, check
{
    # Other packages of nodejs than Debian's bring npm along.
    if [ "$1" = npm ] && command -v npm >/dev/null; then
        return 0
    elif command -v dpkg >/dev/null; then
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
    else
        eval "$2" >/dev/null 2>&1
    fi
}

missing=()
is_needed=false
optional=
for group in "$@"; do
    case $group in
    build | studio | test | targets | bench) ;;
    *)
        echo "install.sh: no group \"$group\"; there are build, studio, test, targets and bench" >&2
        exit 2
        ;;
    esac
    while read -r package check; do
        if [ -n "$package" ] && ! is_there "$package" "$check"; then
            missing+=("$package")
            case $group in
            targets) optional="tests of other processors" ;;
            studio) optional="pages of the studio" ;;
            *) is_needed=true ;;
            esac
        fi
    done <<<"${!group}"
done
[ ${#missing[@]} -gt 0 ] || exit 0

by_hand()
{
    if ! $is_needed; then
        echo "$optional are left out: $1; they use ${missing[*]}" >&2
        exit 0
    fi
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
