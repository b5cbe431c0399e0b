#!/usr/bin/env bash
# The list of guards that `make mutate` breaks fits the sources. Breaking them takes too long here.
. "$(dirname "$0")/frame.sh"

every_guard_of_the_list_is_in_its_file()
{
    python3 tests/mutation/mutate.py check
}

the_list_has_forty_guards()
{
    local count
    count=$(grep -c '^src/' tests/mutation/guards.txt)
    [ "$count" -ge 40 ] || echo "only $count"
}

check every_guard_of_the_list_is_in_its_file
check the_list_has_forty_guards
finish
