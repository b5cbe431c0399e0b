// JavaScript: an ECMAScript module that needs Math and nothing else.

#include "emit_script.h"

#include <stddef.h>

static const lwi_syntax syntax = {
    .declare = "    const ",
    .indent = "    ",
    .end = ";\n",
    .suffix = "",
    .function = {[LWI_OP_SQRT] = "Math.sqrt",
                 [LWI_OP_SIN] = "Math.sin",
                 [LWI_OP_COS] = "Math.cos",
                 [LWI_OP_ATAN2] = "Math.atan2",
                 [LWI_OP_TANH] = "Math.tanh",
                 [LWI_OP_CLAMP] = "_clamp",
                 [LWI_OP_SIGN] = "Math.sign"},
};

static const char head[] = "\n"
                           "\n"
                           "function _clamp(x) {\n"
                           "    return Math.max(-1, Math.min(x, 1));\n"
                           "}\n"
                           "\n"
                           "\n"
                           "function _compare(got, want, scale, worst) {\n"
                           "    for (let i = 0; i < want.length; ++i) {\n"
                           "        const error = Math.abs(got[i] - want[i]) / scale;\n"
                           "        worst = error <= worst ? worst : error;\n"
                           "    }\n"
                           "    return worst;\n"
                           "}\n";

// What all loops share. n degrees of freedom, m conditions; x[first] begins the unknowns.
static const char loops[] =
    "\n"
    "\n"
    "function _dot(a, b) {\n"
    "    let sum = 0;\n"
    "    for (let i = 0; i < a.length; ++i) sum += a[i] * b[i];\n"
    "    return sum;\n"
    "}\n"
    "\n"
    "\n"
    "function _invert(m, n, J) {\n"
    "    // The pseudo-inverse of J, by orthogonal columns (Gram and Schmidt), or null.\n"
    "    const column = (k) => Array.from({length: m}, (_, i) => J[i * n + k]);\n"
    "    const Q = Array.from({length: n}, (_, k) => column(k)), R = Q.map(() => []), P = [];\n"
    "    for (let k = 0; k < n; ++k) {\n"
    "        const own = column(k), square = _dot(Q[k], Q[k]);\n"
    "        if (!(square > _SINGULAR * _dot(own, own))) return null;\n"
    "        R[k][k] = 1 / square;\n"
    "        for (let c = k + 1; c < n; ++c) {\n"
    "            R[k][c] = R[k][k] * _dot(Q[k], Q[c]);\n"
    "            Q[c] = Q[c].map((b, i) => b - R[k][c] * Q[k][i]);\n"
    "        }\n"
    "    }\n"
    "    for (let k = n - 1; k >= 0; --k) {\n"
    "        P[k] = Q[k].map((e) => R[k][k] * e);\n"
    "        for (let c = k + 1; c < n; ++c) P[k] = P[k].map((a, i) => a - R[k][c] * P[c][i]);\n"
    "    }\n"
    "    return P.flat();\n"
    "}\n"
    "\n"
    "\n"
    "function _change(m, n, P0, J, unit) {\n"
    "    let total = 0;\n"
    "    for (let i = 0; i < n; ++i) {\n"
    "        for (let j = 0; j < n; ++j) {\n"
    "            let e = i === j ? -1 : 0;\n"
    "            for (let c = 0; c < m; ++c) e += P0[i * m + c] * J[c * n + j];\n"
    "            e *= unit[j] / unit[i];\n"
    "            total += e * e;\n"
    "        }\n"
    "    }\n"
    "    return Math.sqrt(total);\n"
    "}\n"
    "\n"
    "\n"
    "function _iterate([rows, move, m, n, nx, first, size, unit], p, q, x) {\n"
    "    // Newton's method, first by the P of before: the change of J, or 2 where it fails.\n"
    "    const at = first + nx, P0 = x.slice(at, at + m * n);\n"
    "    let before = 1, P = P0;\n"
    "    for (let k = 0; k < 10; ++k) {\n"
    "        const [r, J] = rows(p, q, x);\n"
    "        P = k > 0 ? _invert(m, n, J) : P;\n"
    "        if (P === null) break;\n"
    "        x.splice(at, m * n, ...P);\n"
    "        const d = unit.map((_, i) => -_dot(r, P.slice(i * m, i * m + m)));\n"
    "        x.splice(first, nx, ...move(q, x, d));\n"
    "        const change = Math.hypot(...d.map((e, i) => e / unit[i]));\n"
    "        if (k > 0 && (change <= _ENOUGH || (change <= _LEAST && change > 0.5 * before))) {\n"
    "            return Math.hypot(...r) <= _CLOSED * size ? _change(m, n, P0, J, unit) : 2;\n"
    "        }\n"
    "        if (!(change <= 0.5 * before)) break;\n"
    "        before = change;\n"
    "    }\n"
    "    return 2;\n"
    "}\n"
    "\n"
    "\n"
    "function _begin(p, x) {\n"
    "    x.splice(0, 1 + _REFERENCE.length, 1, ..._REFERENCE);\n"
    "    for (const [rows, , m, n, nx, first, , , start] of _LOOPS) {\n"
    "        x.splice(first, nx, ...start);\n"
    "        const P = _invert(m, n, rows(p, _REFERENCE, x)[1]);\n"
    "        if (P === null) return false;\n"
    "        x.splice(first + nx, m * n, ...P);\n"
    "    }\n"
    "    return true;\n"
    "}\n"
    "\n"
    "\n"
    "function _close(p, q, x) {\n"
    "    // Closes the loops at q, from where they are in x along the straight way, in pieces; "
    "false,\n"
    "    // and x as it was, where that fails.\n"
    "    const n = _REFERENCE.length;\n"
    "    let y = x.slice(), done = 0;\n"
    "    if (x[0] === 0 && !_begin(p, y)) return false;\n"
    "    const way = Math.max(0, ..._WEIGHT.map((w, i) => Math.abs(q[i] - y[1 + i]) * w));\n"
    "    const longest = way > 1 ? 1 / way : 1;\n"
    "    for (let k = 0, piece = longest; k < 200 && piece >= _SHORTEST; ++k) {\n"
    "        const to = Math.min(1, done + piece), z = y.slice();\n"
    "        const at = _REFERENCE.map((_, i) => to < 1 ? y[1 + i] + to * (q[i] - y[1 + i]) : "
    "q[i]);\n"
    "        let change = 0;\n"
    "        for (const loop of _LOOPS) {\n"
    "            if (change <= _ALIKE) change = Math.max(change, _iterate(loop, p, at, z));\n"
    "        }\n"
    "        if (!(change <= 2)) change = 2;\n"
    "        if (change <= _ALIKE) {\n"
    "            y = z;\n"
    "            done = to;\n"
    "        }\n"
    "        if (done >= 1) {\n"
    "            y.splice(1, n, ...q.slice(0, n));\n"
    "            x.splice(0, x.length, ...y);\n"
    "            return true;\n"
    "        }\n"
    "        piece = Math.min(longest, piece * Math.min(2, Math.max(0.1, _WANTED / change)));\n"
    "    }\n"
    "    return false;\n"
    "}\n";

const lwi_script lwi_javascript = {
    .syntax = &syntax,
    .comment = "//",
    .head = head,
    .constant = "const ",
    .exported = "export const ",
    .constant_end = "; ",
    .function = "export function ",
    .internal = "function ",
    .begin = " {\n",
    .end = "}\n",
    .no_value = "null",
    .zeros = "    const %s = new Array(%d).fill(0);\n",
    .many = {"[", "]"},
    .unless_closed = "    if (!_close(%s, q, x)) return ",
    .nans = "new Array(%d).fill(NaN)",
    .end_unless = ";\n",
    .sincos = "    const s = q.map(Math.sin), c = q.map(Math.cos);\n",
    .fresh_x = "    x = new Array(X_SIZE).fill(0);\n",
    .check_locals = "    const time = 0.5;\n"
                    "    let q, v, a, tau, X, s, c, p, k, x, got, want, worst = 0;\n",
    .loops = loops,
    .add_loop = {"_LOOPS.push([", "])"},
};
