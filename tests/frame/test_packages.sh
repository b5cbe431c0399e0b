#!/usr/bin/env bash
# scripts/install.sh on machines of several kinds, played by stand-ins for dpkg-query, apt-get, id and
# sudo. Nothing is installed.
. "$(dirname "$0")/frame.sh"

machine=$work/bin
log=$work/apt.log

# A machine without packages: only what the script itself is written with.
new_machine()
{
    rm -rf "$machine" "$log"
    mkdir -p "$machine"
    : >"$log"
    local tool
    for tool in bash env mktemp rm tail cat; do
        ln -s "$(command -v $tool)" "$machine/$tool"
    done
}

stand_in() # name, script
{
    printf '#!%s\n%s\n' "$(command -v bash)" "$2" >"$machine/$1"
    chmod +x "$machine/$1"
}

install_packages() # groups
{
    env -i PATH="$machine" TMPDIR="$work" LOG="$log" bash scripts/install.sh "$@" >"$work/said" 2>&1
}

says() # text
{
    grep -qF -- "$1" "$work/said" || {
        echo "does not say \"$1\", but:"
        cat "$work/said"
    }
}

have='case "$*" in *libjansson-dev*) exit 1 ;; esac; echo -n installed'
apt='echo "$*" >>"$LOG"'

asks_nothing_where_all_is_there()
{
    new_machine
    stand_in dpkg ""
    stand_in dpkg-query 'echo -n installed'
    stand_in apt-get "$apt"
    install_packages build test targets bench || echo "exit code $?"
    [ ! -s "$log" ] || echo "calls apt-get"
    [ ! -s "$work/said" ] || cat "$work/said"
}

installs_only_what_is_missing()
{
    new_machine
    stand_in dpkg ""
    stand_in dpkg-query "$have"
    stand_in apt-get "$apt"
    stand_in id 'echo 0'
    install_packages build || echo "exit code $?"
    diff - "$log" <<<'-y -q -o DPkg::Lock::Timeout=600 update
-y -q -o DPkg::Lock::Timeout=600 install --no-install-recommends libjansson-dev'
}

waits_for_another_apt()
{
    new_machine
    stand_in dpkg ""
    stand_in dpkg-query "$have"
    stand_in apt-get "$apt"'
[ "$(<"$LOG")" != "$*" ] || { echo "E: Could not get lock /var/lib/apt/lists/lock."; exit 100; }'
    stand_in id 'echo 0'
    stand_in sleep 'echo "sleeps" >>"$LOG"'
    install_packages build || echo "exit code $?"
    says "waiting for another apt"
    diff - "$log" <<<'-y -q -o DPkg::Lock::Timeout=600 update
sleeps
-y -q -o DPkg::Lock::Timeout=600 update
-y -q -o DPkg::Lock::Timeout=600 install --no-install-recommends libjansson-dev'
}

uses_sudo_where_it_is_not_root()
{
    new_machine
    stand_in dpkg ""
    stand_in dpkg-query "$have"
    stand_in apt-get "$apt"
    stand_in id 'echo 1000'
    stand_in sudo 'echo "by sudo" >>"$LOG"; exec "$@"'
    install_packages build || echo "exit code $?"
    [ "$(grep -c 'by sudo' "$log")" = 2 ] || cat "$log"
}

says_what_to_install_where_there_is_no_apt()
{
    new_machine
    install_packages build && echo "succeeds"
    says "there is no apt-get here"
    says "sudo apt-get install gcc libc6-dev make cmake pkg-config libexpat1-dev libjansson-dev"
}

says_what_to_install_where_there_is_no_root()
{
    new_machine
    stand_in dpkg ""
    stand_in dpkg-query "$have"
    stand_in apt-get "$apt"
    stand_in id 'echo 1000'
    install_packages build && echo "succeeds"
    says "not root, and there is no sudo"
    says "apt-get install libjansson-dev"
    [ ! -s "$log" ] || echo "calls apt-get"
}

says_what_to_install_where_apt_fails()
{
    new_machine
    stand_in dpkg ""
    stand_in dpkg-query "$have"
    stand_in apt-get 'echo "E: Could not resolve the host" >&2; exit 100'
    stand_in id 'echo 0'
    install_packages build && echo "succeeds"
    says "Could not resolve the host"
    says "apt-get install libjansson-dev"
}

goes_on_without_other_processors()
{
    new_machine
    stand_in dpkg ""
    stand_in dpkg-query 'exit 1'
    stand_in apt-get 'echo "E: Unable to locate package qemu-user" >&2; exit 100'
    stand_in id 'echo 0'
    install_packages targets || echo "exit code $?"
    says "tests of other processors are left out: apt-get failed"
    says "qemu-user"
}

accepts_other_systems_that_have_everything()
{
    new_machine
    stand_in cc ""
    stand_in make ""
    stand_in cmake ""
    stand_in pkg-config ""
    install_packages build || cat "$work/said"
}

refuses_unknown_groups()
{
    new_machine
    install_packages everything
    [ $? -eq 2 ] || echo "does not end with exit code 2"
}

check asks_nothing_where_all_is_there
check installs_only_what_is_missing
check waits_for_another_apt
check uses_sudo_where_it_is_not_root
check says_what_to_install_where_there_is_no_apt
check says_what_to_install_where_there_is_no_root
check says_what_to_install_where_apt_fails
check goes_on_without_other_processors
check accepts_other_systems_that_have_everything
check refuses_unknown_groups
finish
