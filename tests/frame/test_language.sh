#!/usr/bin/env bash
# The language of the project: one term per concept in public texts (docs/reference/conventions.md has
# the glossary), names of files that occur once, and pages that can be read in a terminal.
. "$(dirname "$0")/frame.sh"

# Headers, pages and the help of all commands. Blocks of code and output on pages are left out: they
# are run, and what the program prints is looked at in its help.
public_texts()
{
    local page command
    # "degree of" at the end of a line takes the word that goes with it from the next one.
    for page in $(project_files 'include/linkwork/*.h' '*.md' | grep -vx CHANGELOG.md); do
        awk -v page="$page" '
            /^```/ { is_code = !is_code }
            is_split { sub(/freedom/, "") }
            { is_split = /[Dd]egrees?( of)?$/ }
            !is_code { print page ": " $0 }' "$page"
    done
    for command in "" $("$PROGRAM" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
        "$PROGRAM" $command --help | awk -v page="linkwork $command --help" '
            is_split { sub(/^ *(of )?freedom/, "") }
            { is_split = /[Dd]egrees?( of)?$/; print page ": " $0 }'
    done
}

# A term, and what stands for it.
retired='
\bfreedoms?\b                     degree of freedom
\bblows?\b                        impulse
\bfindings?\b                     diagnostic
\b(culprit|trouble)s?\b           fault, failed constraint
\bdead (freedom|centre)s?\b       singular joint, singular configuration
\bsums and products\b             additions and multiplications
\bsmall motions?\b                linearization
\b(tells?|told)\b                 reports, prints, returns
\bhangs?\b                        is attached to
\brooms?\b                        workspace, buffer, capacity
\b(ns|m|metres|one) an? (evaluation|turn|radian|thread|state)\b   per
\bwhen memory is short\b          if allocation fails
\bfriction that (holds|sticks)\b  stiction
\befforts?\b                      force, generalized force
'
# What is not a use of the term: "degree of freedom", the key "findings" of the program, and the
# search effort of a derivation.
allowed='[Dd]egrees?[- ]of[- ]freedom|["`.]findings["`]|\(findings\)|(search|derivation|default|highest|lowest|higher|same|at|--) ?efforts?|efforts? (of|0|1|2|3|N)|int effort;|\beffort\b.*\b(0 to 3|search|derivation)|`?<?(limit )?effort|Effort [0-3]'

no_retired_terms_in_public_texts()
{
    local pattern term
    public_texts >"$work/texts"
    [ "$(wc -l <"$work/texts")" -gt 5000 ] || echo "too few public texts were found"
    while read -r pattern; do
        [ -n "$pattern" ] || continue
        term=${pattern##*  }
        pattern=$(sed 's/   *[^ ].*//' <<<"$pattern")
        sed -E "s/$allowed//g" "$work/texts" | grep -nEi -- "$pattern" | head -5 | sed "s/^/write \"$term\" in /" |
            cut -c1-160
    done <<<"$retired"
}

# A header and a source of one name are one module; two of a kind would be found by none.
files_have_unique_names()
{
    project_files 'src/*' 'include/*' 'tools/*' 'bench/*' 'tests/*' | grep -E '\.(c|h|cc|cpp|inc|sh|def)$' |
        sed 's|.*/||' | sort | uniq -d
}

# Rows of tables and code cannot be wrapped; results of benchmarks are written by a program.
pages_fit_100_columns()
{
    local page
    for page in $(project_files '*.md' | grep -v '^bench/results/'); do
        awk '/^```/ { is_code = !is_code } !is_code && !/^\|/ && / .* / { print FNR ": " $0 }' "$page" |
            LC_ALL=C.UTF-8 grep -E '^[0-9]+: .{101}' | sed "s|^|$page:|" | cut -c1-80
    done
}

readme_is_short()
{
    [ "$(wc -l <README.md)" -le 150 ] || echo "README.md has more than 150 lines"
}

check no_retired_terms_in_public_texts
check files_have_unique_names
check pages_fit_100_columns
check readme_is_short
finish
