#!/usr/bin/env bash
# The form of the project's files.
. "$(dirname "$0")/frame.sh"

c_files_are_formatted()
{
    project_files '*.c' '*.h' '*.cc' '*.cpp' | xargs clang-format-14 --dry-run -Werror 2>&1 |
        grep -E 'error:' | sed 's/:.*/: not in form (make format)/' | sort -u
    true
}

# Text files: nothing hangs over the end of a line, and the last line ends.
text_files()
{
    project_files | grep -vE '^(tests/fuzz/corpus|tests/bad|tests/files)/|\.(png|stl|STL|obj|bin)$'
}

lines_have_no_trailing_spaces()
{
    text_files | xargs -d '\n' grep -nIE '[ 	]+$' | cut -c1-120 | head -20
    true
}

files_end_with_a_newline()
{
    text_files | while IFS= read -r file; do
        [ ! -s "$file" ] || [ -z "$(tail -c 1 "$file")" ] || echo "$file"
    done
}

no_file_is_over_1_MB()
{
    project_files | xargs -d '\n' du -b | awk '$1 > 1000000 { print $2 ": " $1 " bytes" }'
}

c_files_have_at_most_1000_lines()
{
    project_files '*.c' '*.h' | xargs wc -l | awk '$1 > 1000 && $2 != "total" { print $2 ": " $1 " lines" }'
}

# What may stand in the top folder; what tests and tools write belongs elsewhere.
top_folder_has_no_leftovers()
{
    local known=" .ci .clang-format .gitignore CMakeLists.txt CHANGELOG.md CMakePresets.json CONTRIBUTING.md"
    known+=" DESIGN.md LICENSE Makefile README.md bench cmake docs include models scripts src studio tests tools "
    project_files | cut -d/ -f1 | sort -u | while IFS= read -r name; do
        [[ $known == *" $name "* ]] || echo "$name does not belong into the top folder"
    done
}

scripts_are_sound()
{
    project_files '*.sh' .ci/run | while IFS= read -r file; do
        bash -n "$file"
    done
}

if command -v clang-format-14 >/dev/null; then
    check c_files_are_formatted
else
    skip c_files_are_formatted "clang-format-14 is not installed"
fi
check lines_have_no_trailing_spaces
check files_end_with_a_newline
check no_file_is_over_1_MB
check c_files_have_at_most_1000_lines
check top_folder_has_no_leftovers
check scripts_are_sound
finish
