#!/usr/bin/env bash
# The layer law of DESIGN.md: includes go downward only.
. "$(dirname "$0")/frame.sh"

# Which layers a layer may include, besides itself.
declare -A below=(
    [base]=""
    [math]="base"
    [geom]="base math"
    [parts]="base math geom"
    [configure]="base math parts"
    [io]="base math geom parts configure"
    [model]="base math"
    [loop]="base math model"
    [compile]="base math geom parts model loop"
    [kin]="base math model loop"
    [dyn]="base math model loop kin"
    [statics]="base math model loop kin dyn"
    [ik]="base math model loop kin"
    [motion]="base math model loop kin dyn ik"
    [sim]="base math model loop kin dyn statics motion"
    [scene]="base math model kin"
    [collide]="base math geom model kin dyn ik motion"
    [contact]="base math geom model kin dyn ik"
    [stiff]="base math model kin dyn statics motion sim"
    [run]="base math geom parts io model kin dyn statics ik motion sim collide"
    [identify]="base math parts model compile kin dyn"
    [sweep]="base math geom parts io model compile kin dyn ik motion sim collide run"
    [expr]="base math"
    [sym]="base math model loop kin ik expr"
    [emit]="base math model expr sym"
    [document]="base math model kin ik expr sym emit"
    [engine]="base math model kin dyn ik expr sym"
    [jit]="base math model sym emit engine"
)
# The layer that a public header belongs to. The compile is the bridge from description to model.
declare -A header_layer=(
    [configure]=configure
    [base]=base [diagnostic]=base [math]=math [geometry]=geom [surface]=geom [fit]=geom [kinds]=math [mech]=parts [io]=io [model]=model [compile]=compile
    [machine]=compile [parameters]=model [levels]=model [names]=model
    [statics]=statics [kinematics]=kin [workspace]=kin [ik]=ik [constraints]=ik [motion]=motion [tool_motion]=motion [control]=sim [simulate]=sim [loads]=sim [linearize]=sim
    [run]=run [constraint_file]=run [stiff]=stiff [identify]=identify [sweep]=sweep [workspace_map]=sweep [workspace_boundary]=sweep [scene]=scene [collide]=collide [clearance]=collide
    [wheels]=contact [views]=contact [terrain]=contact [stance]=contact
    [symbolic]=sym [generate]=emit [engine]=engine [generated]=jit
)

# To `layer`, without a process: there are thousands of includes.
layer_of() # path
{
    local file=${1##*/}
    case $1 in
    src/*/*) file=${1#src/} layer=${file%%/*} ;;
    include/linkwork/linkwork.h) layer=all ;;
    include/linkwork/*) layer=${header_layer[${file%.h}]:-dyn} ;;
    *) layer= ;;
    esac
}

# "file<TAB>included file" for every include that is the project's own.
includes()
{
    local file line name path rest
    grep -E '^ *# *include' "$@" /dev/null | while IFS= read -r line; do
        file=${line%%:*}
        [[ $line =~ include\ *[\<\"]([^\>\"]*)[\>\"] ]] && name=${BASH_REMATCH[1]}
        case $line in
        *'<linkwork/'*) path=include/$name ;;
        *'"'*)
            path=${file%/*} rest=$name
            while [[ $rest == ../* ]]; do
                path=${path%/*} rest=${rest#../}
            done
            path=$path/$rest
            [ -f "$path" ] || path=src/$name
            [ -f "$path" ] || path=tools/$name
            [ -f "$path" ] || path=studio/server/$name
            ;;
        *) continue ;;
        esac
        printf '%s\t%s\n' "$file" "$path"
    done
}

includes $(project_files 'src/*.[ch]' 'include/*.h') >"$work/includes"
includes $(project_files 'tools/*.[ch]' 'studio/*.[ch]') >"$work/tools"

includes_go_downward()
{
    local from to a b layer
    while IFS=$'\t' read -r from to; do
        layer_of "$from" && a=$layer
        layer_of "$to" && b=$layer
        [ "$a" != all ] || continue
        if [ ! -v "below[$a]" ]; then
            echo "$from: the layer \"$a\" is not in the table of this test"
        elif [ "$a" != "$b" ] && [[ " ${below[$a]} " != *" $b "* ]]; then
            echo "$from includes $to: $a may not include $b"
        fi
    done <"$work/includes"
    [ -s "$work/includes" ]
}

# All that a set of files includes, directly or not.
reach() # files
{
    local before="" now
    now=$(printf '%s\n' "$@" | sort -u)
    while [ "$now" != "$before" ]; do
        before=$now
        now=$({
            echo "$now"
            awk -F'\t' 'NR == FNR { have[$1] = 1; next } $1 in have { print $2 }' \
                <(echo "$now") "$work/includes"
        } | sort -u)
    done
    echo "$now"
}

# Nothing that computes sees the description or the readers, not even through other headers.
computing_layers_never_reach_the_description()
{
    reach $(project_files 'src/model/*.[ch]' 'src/loop/*.[ch]' 'src/kin/*.[ch]' 'src/dyn/*.[ch]' 'src/ik/*.[ch]' \
        'src/motion/*.[ch]' 'src/sim/*.[ch]' 'include/linkwork/kinematics.h' \
        'include/linkwork/dynamics.h') |
        grep -E '^src/(parts|io)/|^include/linkwork/(mech|compile|io)\.h'
    true
}

program_uses_public_headers_only()
{
    local from to
    while IFS=$'\t' read -r from to; do
        case $from:$to in
        *:include/linkwork/* | *:tools/* | studio/*:studio/*) ;;
        tools/commands/cmd_studio.c:studio/server/*) ;;
        *) echo "$from includes $to" ;;
        esac
    done <"$work/tools"
    grep -nE 'lwi_' $(project_files 'tools/*.[ch]' 'studio/*.[ch]') /dev/null
    true
}

every_own_include_exists()
{
    cat "$work/includes" "$work/tools" | while IFS=$'\t' read -r from to; do
        [ -f "$to" ] || echo "$from includes $to, which does not exist"
    done
}

# The core is written against the C library alone; expat, jansson and their like have their own
# places.
foreign_headers_stay_where_they_belong()
{
    grep -nE '# *include *<(expat|jansson|microhttpd|cvode|ida|nvector|sun|lapacke|mpi)' \
        $(project_files 'src/*.[ch]' 'include/*.h' 'tools/*.[ch]' 'studio/*.[ch]') \
        /dev/null | grep -vE '^studio/.*<(jansson|microhttpd)|^src/io/.*<expat|^tools/.*<jansson|^src/stiff/|^src/identify/.*<lapacke|^tools/mpi/.*<mpi'
    true
}

check includes_go_downward
check computing_layers_never_reach_the_description
check program_uses_public_headers_only
check every_own_include_exists
check foreign_headers_stay_where_they_belong
finish
