#!/usr/bin/env bash
# What the compiled library is: no recursion, a small stack, no writable globals, no calls that a
# controller could not bear. Needs gcc, for its call graphs.
. "$(dirname "$0")/frame.sh"

command -v gcc >/dev/null || {
    skip library_objects "gcc is not installed"
    finish
}

# The library's objects, with the flags of the build and with the call graph (.ci) and the stack use
# (.su) of each beside it. Without stiff and identify: they need SUNDIALS and LAPACKE, whose stack and
# calls nobody here can bound, and no controller calls them. Without ccache, which keeps no call graphs.
export CCACHE_DISABLE=1
compile() # folder, type of build, flags
{
    local folder=$work/$1
    cmake -S . -B "$folder" -DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE="$2" -DCMAKE_C_FLAGS="$3" -DCMAKE_C_FLAGS_DEBUG= \
        -DLINKWORK_TESTS=OFF -DLINKWORK_TOOLS=OFF -DLINKWORK_IO=ON -DLINKWORK_STIFF=OFF -DLINKWORK_IDENTIFY=OFF \
        -DCMAKE_RULE_MESSAGES=OFF >"$work/output" 2>&1 &&
        cmake --build "$folder" -j 2 >"$work/output" 2>&1 || {
        tail -n 20 "$work/output"
        return 1
    }
}

sources=$(project_files 'src/*.c' | grep -vE '/(stiff|identify)/')

# What gcc made of each source.
files() # folder, ending
{
    local source
    for source in $sources; do
        compgen -G "${folder[$1]}/CMakeFiles/linkwork_*.dir/$source.$2"
    done
}

are_all_there() # folder, ending
{
    [ "$(files "$1" "$2" | wc -l)" = "$(wc -l <<<"$sources")" ]
}

BUILD_DIR=${BUILD_DIR:-/nowhere}
# scripts/test.sh has gcc write call graphs and stack uses while it builds a release: those serve.
declare -A folder=([fast]=$BUILD_DIR [plain]=$work/plain)
{
    [ "${CC##*/}" = gcc ] && grep -qs '^CMAKE_BUILD_TYPE:.*=Release$' "$BUILD_DIR/CMakeCache.txt" &&
        are_all_there fast o && are_all_there fast ci && are_all_there fast su
} || folder[fast]=$work/fast

every_source_compiles()
{
    [ "${folder[fast]}" = "$BUILD_DIR" ] ||
        compile fast None "-O3 -DNDEBUG -fstack-usage -fcallgraph-info=su" || return 1
    # Only a build of this type leaves the kernels without optimisation too.
    compile plain Debug "-O0 -DNDEBUG -fcallgraph-info" || return 1
    are_all_there fast o || echo "some are not built"
    are_all_there fast ci && are_all_there plain ci || echo "call graphs are missing"
}

# The call graph as lines "call CALLER CALLEE" and "own FUNCTION BYTES". Functions that are static carry
# the name of their object, because one text may be included by several files.
graph() # folder
{
    files "$1" ci | while IFS= read -r file; do
        awk -v object="$(basename "$file" .ci)" '
            function full(name) { return name ~ /:/ ? object "!" name : name }
            { split($0, part, "\"") }
            $1 == "edge:" { print "call", full(part[2]), full(part[4]) }
            $1 == "node:" && match($0, /n[0-9]+ bytes/) {
                print "own", full(part[2]), substr($0, RSTART + 1) + 0
            }' "$file"
    done | sort -u
}

calls() # folder
{
    graph "$1" | sed -n 's/^call //p'
}

# C44: nothing calls itself, directly or through others. Without optimisation, so that a recursion
# that the compiler would turn into a loop is seen too. Calls through pointers are not: those are the
# callbacks of the user and of expat.
C44_no_function_recurses()
{
    calls plain >"$work/calls"
    [ "$(wc -l <"$work/calls")" -gt 20 ] || echo "the call graph is missing"
    awk '$1 == $2 { print $1 " calls itself" }' "$work/calls"
    tsort "$work/calls" 2>&1 >/dev/null | sed 's/^tsort: [^ ]* input contains a loop:/a cycle of calls:/;
        s/^tsort: /  /'
}

# Batches compute four states side by side, and need four times the room; sweeps are no real-time code.
functions_use_at_most_4_kB_of_stack()
{
    files fast su | while IFS= read -r file; do
        case $file in
        */batch* | */sweep/*) sed 's/$/\t16384/' "$file" ;;
        *) sed 's/$/\t4096/' "$file" ;;
        esac
    done >"$work/stack"
    [ -s "$work/stack" ] || echo "the stack uses are missing"
    awk -F'\t' '$2 > $4 { print $1 ": " $2 " bytes of stack" }
        $3 ~ /dynamic/ && $3 !~ /bounded/ { print $1 ": a stack of unknown size" }' "$work/stack"
}

# The deepest chain of calls that begins in a real-time function. A call through a pointer counts as
# the deepest of all functions that are only called so, but for those of batches. What libm and libc
# use is not in it.
C44_real_time_functions_use_at_most_16_kB_of_stack()
{
    python3 scripts/api.py functions | awk -F'\t' '$4 == "real-time" { print $1 }' >"$work/roots"
    graph fast >"$work/graph"
    # Pointers whose callers are known count there alone: what measures a clearance is called by
    # lwi_constraints_evaluate(), the kernels of collide by collide, and those of batches by batches.
    awk '$1 == "own" && $2 ~ /\/collide\/clearance\.c:evaluate$/ { print "call lwi_constraints_evaluate", $2 }
        $1 == "own" && $2 ~ /\/collide_kernels_[a-z0-9]*\.c:pair_verdict$/ { kernel[$2] = 1 }
        $1 == "own" && $2 ~ /\/kernels_[a-z0-9_]*\.c:batch_run$/ { lanes[$2] = 1 }
        $3 == "__indirect_call" && $2 ~ /^lw_collide_|\/src\/collide\// { caller[$2] = 1 }
        $3 == "__indirect_call" && $2 ~ /\/src\/dyn\/batch\.c:/ { task[$2] = 1 }
        END {
            for (c in caller) for (k in kernel) print "call", c, k
            for (t in task) for (k in lanes) print "call", t, k
        }' "$work/graph" >"$work/known"
    cat "$work/known" >>"$work/graph"
    awk '$1 == "call" && $2 != $3 { print $2, $3 }' "$work/graph" | tsort >"$work/order" || return 1
    awk -v roots="$work/roots" '
        function sum_up(i, k, f, count, list) {
            for (i = n; i > 0; --i) {
                f = order[i]
                deep[f] = 0
                count = split(callee[f], list, " ")
                for (k = 1; k <= count; ++k) if (deep[list[k]] > deep[f]) deep[f] = deep[list[k]]
                deep[f] += own[f]
            }
        }
        $1 == "own" { own[$2] = $3; next }
        $1 == "call" { callee[$2] = callee[$2] " " $3; is_called[$3] = 1; next }
        { order[++n] = $1 }
        END {
            sum_up()
            for (f in deep) {
                # Callbacks of engines are called by lw_engine_run() alone, tasks of batches likewise;
                # those of sweeps are no real-time code.
                if (f ~ /!/ && f !~ /^(batch|engine)|\/src\/sweep\// && !is_called[f] && deep[f] > by_pointer) {
                    by_pointer = deep[f]
                    deepest = f
                }
            }
            own["__indirect_call"] = by_pointer
            sum_up()
            while ((getline name < roots) > 0) {
                if (deep[name] > 16384) print name ": its calls use " deep[name] " bytes of stack"
                if (deep[name] > most) most = deep[name]
            }
            if (!most) print "no real-time function was found"
            print most " bytes of stack at most, by pointer " by_pointer " of " deepest >"/dev/stderr"
        }' "$work/graph" "$work/order" 2>"$work/most"
}

library_has_no_writable_globals()
{
    local object
    for object in $(files fast o); do
        objdump -t "$object" | awk -v object="${object##*/}" '
            / [gl] .* (\.data|\.bss|\.tdata|\.tbss|\*COM\*)/ && $(NF - 1) !~ /^0+$/ {
                for (i = 1; i <= NF; ++i) if ($i ~ /^\.data\.rel\.ro/) next
                print object ": " $NF " can be written"
            }'
    done
}

undefined() # objects
{
    nm -u "$@" | awk '$1 == "U" { print $2 }' | sort -u
}

# The library never prints, ends the process, locks, or asks the locale or the environment. Loading
# what a compiler made, and telling old folders from new ones, is what src/jit is for.
library_calls_nothing_that_prints_exits_or_locks()
{
    { undefined $(files fast o | grep -v /src/jit/); undefined $(files fast o | grep /src/jit/) | grep -vxE 'dlopen|time'; } | grep -xE \
        'v?f?printf|v?dprintf|puts|putchar|fputs|fputc|perror|stdout|stderr|stdin|exit|_exit|_Exit|quick_exit|abort|__assert_fail|atexit|raise|signal|pthread_.*|mtx_.*|sem_.*|setlocale|uselocale|newlocale|strto[dfl]d?|atof|scanf|v?f?s?scanf|__isoc99_.*|getenv|secure_getenv|system|popen|fork|exec.*|dlopen|rand|random|time|clock.*|gettimeofday|longjmp|_?setjmp|alloca|gets|tmpnam|mktemp|strtok|localtime|gmtime|asctime|ctime|strerror' |
        sed 's/^/calls /'
}

core_objects()
{
    files fast o | grep -vE '/src/(io|run|jit|sweep)/'
}

# The core reads no files either, and what is not its own comes from libc and libm alone.
core_needs_only_libc_and_libm()
{
    local objects
    objects=$(core_objects)
    undefined $objects | grep -xE 'f?open(at)?|fopen64|read|write|f?stat|mmap|close|XML_.*|json_.*' |
        sed 's/^/calls /'
    gcc -shared -Wl,--no-undefined -o "$work/libcore.so" $objects -lm || return 1
    readelf -d "$work/libcore.so" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
        grep -vxE 'libc\.so\.6|libm\.so\.6|ld-linux.*' | sed 's/^/needs /'
    true
}

# What computes with a model needs nothing of what describes a machine or compiles it: all of kin, dyn
# and sim is linked with what they take of the layers below (controllers take trajectories of motion,
# and those ik), and without parts.
R13_solver_is_compiled_alone()
{
    local objects
    objects=$(core_objects)
    ar rcs "$work/libbelow.a" $(grep -E '/src/(base|math|model|loop|ik|motion|statics)/' <<<"$objects") || return 1
    gcc -shared -Wl,--no-undefined -o "$work/libsolver.so" $(grep -E '/src/(kin|dyn|sim)/' <<<"$objects") \
        "$work/libbelow.a" -lm || return 1
    nm -D --defined-only "$work/libsolver.so" | awk '{ print $NF }' >"$work/names"
    grep -xE 'lw_(mech_.*|compile|add_link|add_joint|connect)' "$work/names" | sed 's/^/has /'
    grep -qx lw_forward_dynamics "$work/names" && grep -qx lw_sim_step "$work/names" || echo "is no solver"
}

# Names that are not static begin with lw_ (public) or lwi_ (internal), for static linking.
names_have_the_prefix()
{
    nm --defined-only -g $(files fast o) | awk 'NF == 3 && $3 !~ /^lwi?_/ { print $3 }'
}

check every_source_compiles
check C44_no_function_recurses
check functions_use_at_most_4_kB_of_stack
check C44_real_time_functions_use_at_most_16_kB_of_stack
cat "$work/most"
check library_has_no_writable_globals
check library_calls_nothing_that_prints_exits_or_locks
check core_needs_only_libc_and_libm
check R13_solver_is_compiled_alone
check names_have_the_prefix
finish
