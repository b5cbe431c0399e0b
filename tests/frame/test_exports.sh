#!/usr/bin/env bash
# What linked programs depend on is as tests/frame/exports.txt has it: exported functions, numbers of
# enumerators, sizes and offsets of structs. scripts/exports.sh writes that file.
. "$(dirname "$0")/frame.sh"

list=tests/frame/exports.txt

exports_are_as_committed()
{
    CC=$CC scripts/exports.sh "$BUILD_DIR" >"$work/exports" || return
    # Without SUNDIALS there is no liblinkwork_stiff, without LAPACKE no liblinkwork_identify.
    cp "$list" "$work/list"
    for part in stiff identify sweep; do
        [ -e "$BUILD_DIR/liblinkwork_$part.a" ] || sed -i "/^liblinkwork_$part:/d" "$work/list"
    done
    diff -U0 "$work/list" "$work/exports" >"$work/diff" || {
        sed '1,2d; /^@/d' "$work/diff"
        echo "not as in $list; if that is meant: scripts/exports.sh BUILD_DIR >$list, and CHANGELOG.md"
    }
}

# No two statuses, and no two codes, share a number.
numbers_are_unique() # prefix of the enumerators
{
    grep -E "^$1[A-Z_0-9]* = " "$list" | sed 's/.* = //' | sort -n | uniq -d | sed "s/^/twice in $1: /"
}

# The installed headers alone, as a language binding reads them: declarations by the preprocessor, and
# calls through the shared library.
headers_serve_cffi()
{
    "$CC" -shared -o "$work/liblinkwork.so" -Wl,--whole-archive "$BUILD_DIR/liblinkwork.a" \
        -Wl,--no-whole-archive -lm || return
    echo '#include <linkwork/linkwork.h>' |
        "$CC" -E -P -DLW_DECLARATIONS_ONLY -Iinclude - >"$work/declarations" || return
    python3 - "$work" <<'EOT'
import sys, cffi
ffi = cffi.FFI()
ffi.cdef(open(sys.argv[1] + "/declarations").read())
lw = ffi.dlopen(sys.argv[1] + "/liblinkwork.so")

def good(status):
    assert status == lw.LW_OK, ffi.string(lw.lw_status_text(status))

mech, model, data = ffi.new("lw_mech **"), ffi.new("lw_model **"), ffi.new("lw_data **")
good(lw.lw_mech_create(b"pendulum", mech))
ground, joint, link = (ffi.new("lw_%s_def *" % kind) for kind in ("ground", "joint", "link"))
ground[0], joint[0], link[0] = (lw.lw_default_ground_def(), lw.lw_default_joint_def(),
                                lw.lw_default_link_def())
names = [ffi.new("char[]", name) for name in (b"hinge", b"rod")]
joint.name, joint.type, joint.axis.y, joint.axis.z = names[0], lw.LW_JOINT_REVOLUTE, 1, 0
link.name, link.mass, link.inertial = names[1], 2, lw.lw_placement_xyz(0.5, 0, 0)
link.inertia.xx = link.inertia.yy = link.inertia.zz = 0.01
lw.lw_add_ground(mech[0], ground)
lw.lw_add_joint(mech[0], joint)
lw.lw_add_link(mech[0], link)
good(lw.lw_connect_named(mech[0], b"ground.b", b"hinge.a"))
good(lw.lw_connect_named(mech[0], b"hinge.b", b"rod.a"))
good(lw.lw_compile(mech[0], ffi.NULL, model, ffi.NULL))
good(lw.lw_data_create(model[0], data))
tau = ffi.new("double[]", 1)
good(lw.lw_gravity_forces(model[0], data[0], ffi.new("double[]", 1), tau))
assert abs(tau[0] + 2 * 9.81 * 0.5) < 1e-14, tau[0]
assert ffi.string(model[0].velocity_name[0]) == b"hinge"
lw.lw_data_destroy(data[0])
lw.lw_model_destroy(model[0])
lw.lw_mech_destroy(mech[0])
EOT
}

if [ "$(uname -m)" != x86_64 ]; then
    skip exports_are_as_committed "sizes and offsets are those of x86-64"
elif ! python3 -c 'import cffi' 2>/dev/null; then
    skip exports_are_as_committed "python3-cffi is not installed"
    skip headers_serve_cffi "python3-cffi is not installed"
else
    check exports_are_as_committed
    check headers_serve_cffi
fi
check_as statuses_have_numbers_of_their_own numbers_are_unique LW_ERR_
check_as codes_have_numbers_of_their_own numbers_are_unique LW_DIAG_
finish
