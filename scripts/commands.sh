#!/usr/bin/env bash
# Writes docs/reference/commands.md, the help of every command: scripts/commands.sh [PROGRAM]
#
# The program is build/linkwork unless another is named.
set -euo pipefail
cd "$(dirname "$0")/.."
program=${1:-build/linkwork}
[ -f "$program" ] && [ -x "$program" ] || { echo "commands.sh: there is no program $program" >&2; exit 2; }
draft=$(mktemp)
trap 'rm -f "$draft"' EXIT

# Options that most commands have, and exit codes, stand once.
common="/^  --level ASSEMBLY=LEVEL/,/^  -h, --help/"
short="sed '$common d; /^Exit codes/,\$d; /^MODEL is a file/,/^$/d' | sed -e :a -e '/^\n*\$/{\$d;N;ba' -e '}' | sed '/^Options:\$/{N;/\n\$/d}'"

help_of() # arguments, and what is left out of them
{
    printf '\n```text\n'
    "$program" $1 --help | eval "$2"
    printf '```\n'
}

{
    cat <<'EOT'
# Commands

What `linkwork COMMAND --help` says, of all commands; `scripts/commands.sh` writes this page.
EOT
    help_of '' cat
    printf '\nCommands that read a model have these options too:\n'
    help_of info "sed -n '$common p'"
    "$program" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | while read -r command; do
        printf '\n## %s\n' "$command"
        help_of "$command" "$short"
    done
} >"$draft"
cat "$draft" >docs/reference/commands.md
