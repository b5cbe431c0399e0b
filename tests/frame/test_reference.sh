#!/usr/bin/env bash
# The reference of the C library is made from the headers without a warning.
. "$(dirname "$0")/frame.sh"

reference_has_no_warnings()
{
    sed "s,= build/reference,= $work/reference," docs/Doxyfile >"$work/Doxyfile"
    mkdir "$work/reference"
    doxygen "$work/Doxyfile" >"$work/output" 2>&1 || cat "$work/output" "$work/reference/warnings.txt"
}

# What it says of a function: its comment, whether it is real-time safe, and who may call it.
reference_states_real_time_and_threads()
{
    sed 's/<[^>]*>//g' "$work/reference/html/kinematics_8h.html" >"$work/page"
    grep -q 'Real-time safe. Changes d: one thread at a time.' "$work/page" || echo "kinematics.h states nothing"
    sed 's/<[^>]*>//g' "$work/reference/html/machine_8h.html" >"$work/page"
    grep -q 'Real-time safe. Thread safe.' "$work/page" || echo "machine.h states nothing"
}

if command -v doxygen >/dev/null; then
    check reference_has_no_warnings
    check reference_states_real_time_and_threads
else
    skip reference_has_no_warnings "doxygen is not installed"
    skip reference_states_real_time_and_threads "doxygen is not installed"
fi
finish
