#!/usr/bin/env bash
# What is installed can be used: found by find_package and by pkg-config, static and shared, from C and
# C++; and a part whose dependency is absent is left out without harm.
. "$(dirname "$0")/frame.sh"

consumer=$SOURCE_DIR/tests/frame/consumer
has_cxx=$(command -v g++)

quiet() # command; its output is shown where it fails
{
    "$@" >"$work/output" 2>&1 || {
        echo "$*:"
        tail -n 25 "$work/output"
        return 1
    }
}

configure() # folder, arguments of cmake
{
    local folder=$1
    shift
    quiet cmake -S . -B "$work/$folder" -DCMAKE_C_COMPILER="$CC" -DLINKWORK_TESTS=OFF "$@"
}

static_library_installs()
{
    quiet cmake --install "$BUILD_DIR" --prefix "$work/static"
}

cached() # variable of cmake; as the argument that gives it the value of the build
{
    sed -n "s/^$1:[A-Z]*=/-D$1=/p" "$BUILD_DIR/CMakeCache.txt"
}

# A shared library is made of the same objects as a static one, and so is the core where the rest is left
# out: where all flags are equal, those of the build are taken, as new as if they had been compiled here.
take_objects() # folder
{
    local flags from
    for flags in "$work/$1"/CMakeFiles/linkwork_*.dir/flags.make; do
        from=$BUILD_DIR/CMakeFiles/$(basename "$(dirname "$flags")")
        ! cmp -s "$flags" "$from/flags.make" ||
            (cd "$from" && find . -name '*.o' | tar -c -T - -f -) | tar -x -m -C "$(dirname "$flags")" -f -
    done
}

shared_library_builds_and_installs()
{
    configure build-shared -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON -DLINKWORK_TOOLS=ON \
        "$(cached LINKWORK_WERROR)" "$(cached CMAKE_C_FLAGS)" && take_objects build-shared &&
        quiet cmake --build "$work/build-shared" -j 2 &&
        quiet cmake --install "$work/build-shared" --prefix "$work/shared"
}

exports() # library
{
    nm -D --defined-only "$1" | awk '{ print $NF }'
}

shared_library_exports_only_the_api()
{
    local library
    for library in "$work"/shared/lib/liblinkwork{,_io,_jit}.so; do
        exports "$library" | grep -vE '^lw_' | sed "s,^,${library##*/} exports ,"
        [ "$(exports "$library" | wc -l)" -gt 0 ] || echo "${library##*/} exports nothing"
    done
    # One function, one home.
    for library in "$work"/shared/lib/liblinkwork{,_io,_jit}.so; do
        exports "$library"
    done | sort | uniq -d | sed 's/^/two export /'
}

# Everything that a public header declares is there, and nothing is exported in secret.
shared_libraries_export_what_the_headers_declare()
{
    local headers
    headers=$(ls include/linkwork/*.h)
    : >"$work/exported"
    for part in stiff identify sweep; do # where SUNDIALS and LAPACKE were found
        if [ -e "$work/shared/lib/liblinkwork_$part.so" ]; then
            exports "$work/shared/lib/liblinkwork_$part.so" >>"$work/exported"
        else
            headers=$(grep -v "/$part.h" <<<"$headers")
            [ $part != sweep ] || headers=$(grep -v "/workspace_" <<<"$headers")
        fi
    done
    grep -hoE '^LW_API [^(]*[ *](lw_[a-z0-9_]+)\(' $headers |
        sed 's/.*[ *]\(lw_[a-z0-9_]*\)(/\1/' | sort -u >"$work/declared"
    exports "$work/shared/lib/liblinkwork.so" >>"$work/exported"
    exports "$work/shared/lib/liblinkwork_io.so" >>"$work/exported"
    exports "$work/shared/lib/liblinkwork_jit.so" >>"$work/exported"
    sort -u "$work/exported" | comm -3 "$work/declared" - |
        sed 's/^\t\(.*\)/\1 is exported but not declared/; t; s/$/ is declared but not there/'
}

needed() # library or program
{
    readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'
}

shared_core_needs_only_libc_and_libm()
{
    needed "$work/shared/lib/liblinkwork.so" | grep -vxE 'libc\.so\.6|libm\.so\.6|ld-linux.*'
    readelf -d "$work/shared/lib/liblinkwork.so" | grep -q 'SONAME.*liblinkwork\.so\.0\.1' ||
        echo "the soname is wrong"
}

found_by_find_package() # prefix
{
    quiet cmake -S "$consumer" -B "$work/find-$1" -DCMAKE_PREFIX_PATH="$work/$1" -DWITH_FILES=ON &&
        quiet cmake --build "$work/find-$1" -j 2 &&
        quiet "$work/find-$1/arm_c" && quiet "$work/find-$1/arm_cxx" && quiet "$work/find-$1/load_c"
}

core_is_found_without_expat()
{
    quiet cmake -S "$consumer" -B "$work/find-core" -DCMAKE_PREFIX_PATH="$work/static" \
        -DCMAKE_DISABLE_FIND_PACKAGE_EXPAT=ON && quiet cmake --build "$work/find-core" --target arm_c &&
        quiet "$work/find-core/arm_c" &&
        needed "$work/find-core/arm_c" | grep -i expat
    true
}

found_by_pkg_config() # prefix
{
    local core files
    export PKG_CONFIG_PATH=$work/$1/lib/pkgconfig LD_LIBRARY_PATH=$work/$1/lib
    core=$(pkg-config --cflags --libs linkwork) files=$(pkg-config --cflags --libs linkwork-io) || return
    quiet "$CC" -std=c99 -o "$work/arm-$1" "$consumer/use_core.c" $core -lm && quiet "$work/arm-$1" &&
        quiet "$CC" -std=c99 -o "$work/load-$1" "$consumer/use_files.c" $files && quiet "$work/load-$1" || return
    [ -z "$has_cxx" ] || {
        quiet g++ -std=c++11 -o "$work/arm-cxx-$1" "$consumer/arm_cxx.cc" $core &&
            quiet "$work/arm-cxx-$1"
    }
}

installed_files_name_no_place_of_the_build()
{
    local place
    for place in "$SOURCE_DIR" "$BUILD_DIR" "$work"; do
        grep -rlaF -- "$place" "$work/static" "$work/shared" | sed "s,^$work/,," |
            sed "s,\$, names $place,"
    done
}

installed_program_runs() # prefix
{
    [ -x "$work/$1/bin/linkwork" ] || echo "there is no program"
    "$work/$1/bin/linkwork" --version | grep -q '[0-9]\.[0-9]' ||
        echo "the program does not tell its version"
    "$work/$1/bin/linkwork" check "$work/$1/share/linkwork/models/hr120/hr120.xml" |
        grep -q ': 0 errors' || echo "the machines are not there, or not whole"
    [ -s "$work/$1/share/linkwork/linkwork.xsd" ] || echo "there is no schema"
    [ -s "$work/$1/share/doc/linkwork/docs/reference/format.md" ] || echo "there are no pages"
}

# What is compiled while running, and SUNDIALS where the build has it, come along.
parts_are_found_by_pkg_config() # prefix
{
    local parts=linkwork-jit flags
    export PKG_CONFIG_PATH=$work/$1/lib/pkgconfig LD_LIBRARY_PATH=$work/$1/lib
    if pkg-config --exists linkwork-stiff; then
        parts="$parts linkwork-stiff"
    fi
    cat >"$work/parts.c" <<'EOT'
#include <linkwork/generated.h>
#include <stddef.h>
#ifdef HAS_STIFF
#include <linkwork/stiff.h>
#endif
int main(void)
{
    lw_engine *engine = NULL;
    lw_status status = lw_engine_generated(NULL, NULL, NULL, &engine, NULL);
#ifdef HAS_STIFF
    lw_stiff *stiff = NULL;
    status = status == LW_ERR_ARGUMENT ? lw_stiff_create(NULL, LW_STIFF_IDA, &stiff) : LW_OK;
#endif
    return status == LW_ERR_ARGUMENT ? 0 : 1;
}
EOT
    flags=$(pkg-config --cflags --libs $parts) || return
    [ "$parts" = linkwork-jit ] || flags="-DHAS_STIFF $flags"
    quiet "$CC" -std=c99 -o "$work/parts-$1" "$work/parts.c" $flags && quiet "$work/parts-$1"
}

targets() # folder
{
    cmake --build "$work/$1" --target help | grep -oE 'linkwork_(io|program)( |$)' | tr -d '\n'
}

core_builds_without_expat()
{
    local without=-DCMAKE_DISABLE_FIND_PACKAGE_EXPAT=ON
    configure build-core "$(cached CMAKE_BUILD_TYPE)" $without "$(cached LINKWORK_WERROR)" \
        "$(cached CMAKE_C_FLAGS)" && take_objects build-core || return
    # What has to be compiled, is so without optimization.
    [ -n "$(find "$work/build-core" -name '*.c.o' -print -quit)" ] ||
        configure build-core -DCMAKE_BUILD_TYPE=Debug $without || return
    quiet cmake --build "$work/build-core" -j 2 || return
    [ -f "$work/build-core/liblinkwork.a" ] || echo "there is no liblinkwork.a"
    [ -z "$(targets build-core)" ] || echo "builds $(targets build-core) all the same"
}

program_is_left_out_without_jansson()
{
    local built
    PKG_CONFIG_LIBDIR=/nowhere PKG_CONFIG_PATH= configure build-io || return
    built=$(targets build-io)
    [ "${built% }" = linkwork_io ] || echo "builds \"$built\""
}

missing_dependency_is_an_error_where_the_part_is_asked_for()
{
    ! cmake -S . -B "$work/build-on" -DLINKWORK_IO=ON -DCMAKE_DISABLE_FIND_PACKAGE_EXPAT=ON \
        -DLINKWORK_TESTS=OFF >"$work/output" 2>&1 || echo "cmake did not fail"
    grep -q 'LINKWORK_IO needs expat' "$work/output" || echo "the message does not name expat"
}

presets_are_valid()
{
    cmake --list-presets=all . >"$work/output" 2>&1 || cat "$work/output"
    local name
    for name in release debug asan clang; do
        grep -q "\"$name\"" "$work/output" || echo "there is no preset $name"
    done
}

check presets_are_valid
check static_library_installs
check shared_library_builds_and_installs
check shared_library_exports_only_the_api
check shared_libraries_export_what_the_headers_declare
check shared_core_needs_only_libc_and_libm
for kind in static shared; do
    if [ -n "$has_cxx" ]; then
        check_as "${kind}_library_is_found_by_find_package" found_by_find_package $kind
    else
        skip "${kind}_library_is_found_by_find_package" "g++ is not installed"
    fi
    check_as "${kind}_library_is_found_by_pkg_config" found_by_pkg_config $kind
    check_as "${kind}_parts_are_found_by_pkg_config" parts_are_found_by_pkg_config $kind
    check_as "${kind}_program_runs_where_it_was_installed" installed_program_runs $kind
done
check core_is_found_without_expat
check installed_files_name_no_place_of_the_build
check core_builds_without_expat
check program_is_left_out_without_jansson
check missing_dependency_is_an_error_where_the_part_is_asked_for
finish
