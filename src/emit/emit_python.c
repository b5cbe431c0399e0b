// Python 3: a module that needs math and nothing else.

#include "emit_script.h"

#include <stddef.h>

static const lwi_syntax syntax = {
    .declare = "    ",
    .indent = "    ",
    .end = "\n",
    .suffix = "",
    .function = {[LWI_OP_SQRT] = "sqrt",
                 [LWI_OP_SIN] = "sin",
                 [LWI_OP_COS] = "cos",
                 [LWI_OP_ATAN2] = "atan2",
                 [LWI_OP_TANH] = "tanh",
                 [LWI_OP_CLAMP] = "_clamp",
                 [LWI_OP_SIGN] = "_sign"},
};

static const char head[] = "from math import atan2, cos, nan, sin, sqrt, tanh\n"
                           "\n"
                           "\n"
                           "def _clamp(x):\n"
                           "    return max(-1.0, min(x, 1.0))\n"
                           "\n"
                           "\n"
                           "def _sign(x):\n"
                           "    return float((x > 0) - (x < 0))\n"
                           "\n"
                           "\n"
                           "def _compare(got, want, scale, worst):\n"
                           "    for x, y in zip(got, want):\n"
                           "        error = abs(x - y) / scale\n"
                           "        worst = worst if error <= worst else error\n"
                           "    return worst\n";

// What all loops share. n degrees of freedom, m conditions; x[first] begins the unknowns.
static const char loops[] =
    "\n"
    "\n"
    "def _invert(m, n, J):\n"
    "    # The pseudo-inverse of J, by orthogonal columns (Gram and Schmidt), or None.\n"
    "    Q = [[J[i * n + k] for i in range(m)] for k in range(n)]\n"
    "    R = [[0.0] * n for k in range(n)]\n"
    "    for k in range(n):\n"
    "        own = sum(J[i * n + k] ** 2 for i in range(m))\n"
    "        square = sum(e * e for e in Q[k])\n"
    "        if not square > _SINGULAR * own:\n"
    "            return None\n"
    "        R[k][k] = 1.0 / square\n"
    "        for c in range(k + 1, n):\n"
    "            R[k][c] = R[k][k] * sum(a * b for a, b in zip(Q[k], Q[c]))\n"
    "            Q[c] = [b - R[k][c] * a for a, b in zip(Q[k], Q[c])]\n"
    "    P = [None] * n\n"
    "    for k in range(n - 1, -1, -1):\n"
    "        P[k] = [R[k][k] * e for e in Q[k]]\n"
    "        for c in range(k + 1, n):\n"
    "            P[k] = [a - R[k][c] * b for a, b in zip(P[k], P[c])]\n"
    "    return [e for row in P for e in row]\n"
    "\n"
    "\n"
    "def _iterate(loop, p, q, x):\n"
    "    # Newton's method, first by the P of before: the change of J, or 2 where it fails.\n"
    "    rows, move, m, n, nx, first, size, unit, start = loop\n"
    "    at, before = first + nx, 1.0\n"
    "    P0 = P = x[at:at + m * n]\n"
    "    for k in range(10):\n"
    "        r, J = rows(p, q, x)\n"
    "        P = _invert(m, n, J) if k > 0 else P\n"
    "        if P is None:\n"
    "            break\n"
    "        x[at:at + m * n] = P\n"
    "        d = [-sum(P[i * m + j] * r[j] for j in range(m)) for i in range(n)]\n"
    "        x[first:at] = move(q, x, d)\n"
    "        change = sqrt(sum((d[i] / unit[i]) ** 2 for i in range(n)))\n"
    "        if k > 0 and (change <= _ENOUGH or change <= _LEAST\n"
    "                      and change > 0.5 * before):\n"
    "            if not sqrt(sum(e * e for e in r)) <= _CLOSED * size:\n"
    "                break\n"
    "            total = 0.0\n"
    "            for i in range(n):\n"
    "                for j in range(n):\n"
    "                    e = sum(P0[i * m + c] * J[c * n + j] for c in range(m))\n"
    "                    e = (e - (i == j)) * unit[j] / unit[i]\n"
    "                    total += e * e\n"
    "            return sqrt(total)\n"
    "        if not change <= 0.5 * before:\n"
    "            break\n"
    "        before = change\n"
    "    return 2.0\n"
    "\n"
    "\n"
    "def _begin(p, x):\n"
    "    x[:1 + len(_REFERENCE)] = [1.0] + _REFERENCE\n"
    "    for rows, move, m, n, nx, first, size, unit, start in _LOOPS:\n"
    "        x[first:first + nx] = start\n"
    "        P = _invert(m, n, rows(p, _REFERENCE, x)[1])\n"
    "        if P is None:\n"
    "            return False\n"
    "        x[first + nx:first + nx + m * n] = P\n"
    "    return True\n"
    "\n"
    "\n"
    "def _close(p, q, x):\n"
    "    # Closes the loops at q, from where they are in x along the straight way, in pieces; "
    "False,\n"
    "    # and x as it was, where that fails.\n"
    "    y, n = list(x), len(_REFERENCE)\n"
    "    if x[0] == 0.0 and not _begin(p, y):\n"
    "        return False\n"
    "    way = max([abs(q[i] - y[1 + i]) * _WEIGHT[i] for i in range(n)], default=0.0)\n"
    "    done, longest = 0.0, 1.0 / way if way > 1.0 else 1.0\n"
    "    piece = longest\n"
    "    for k in range(200):\n"
    "        if piece < _SHORTEST:\n"
    "            break\n"
    "        to, z, change = min(1.0, done + piece), list(y), 0.0\n"
    "        at = [y[1 + i] + to * (q[i] - y[1 + i]) if to < 1.0 else q[i] for i in range(n)]\n"
    "        try:\n"
    "            for loop in _LOOPS:\n"
    "                if change <= _ALIKE:\n"
    "                    change = max(change, _iterate(loop, p, at, z))\n"
    "        except (ArithmeticError, ValueError):\n"
    "            change = 2.0\n"
    "        if change <= _ALIKE:\n"
    "            y, done = z, to\n"
    "        if done >= 1.0:\n"
    "            x[:] = y\n"
    "            x[1:1 + n] = q\n"
    "            return True\n"
    "        piece = min(longest, piece * min(2.0, max(0.1, _WANTED / change)))\n"
    "    return False\n";

const lwi_script lwi_python = {
    .syntax = &syntax,
    .comment = "#",
    .head = head,
    .constant = "",
    .exported = "",
    .constant_end = "  ",
    .function = "def ",
    .internal = "def ",
    .begin = ":\n",
    .end = "",
    .no_value = "None",
    .zeros = "    %s = [0.0] * %d\n",
    .many = {"", ""},
    .unless_closed = "    if not _close(%s, q, x):\n        return ",
    .nans = "[nan] * %d",
    .end_unless = "\n",
    .sincos = "    s = [sin(i) for i in q]\n    c = [cos(i) for i in q]\n",
    .fresh_x = "    x = [0.0] * X_SIZE\n",
    .check_locals = "    time, worst = 0.5, 0.0\n",
    .loops = loops,
    .add_loop = {"_LOOPS.append((", "))"},
};
