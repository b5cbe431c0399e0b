// Loops of code in Python: src/expr/tape_loop.c with the numbers of a mechanism filled in.

#include "emit_python.h"

#include <math.h>

// The rules of tape_loop.h as text.
#define AS_WRITTEN(rule) #rule
#define TEXT_OF(rule) AS_WRITTEN(rule)

static void write_numbers(lwi_text *out, const char *name, const double *value, int n)
{
    lwi_text_format(out, "%s = [", name);
    for (int i = 0; i < n; ++i) {
        lwi_text_add(out, i > 0 ? ", " : "");
        lwi_emit_number(out, value[i], "");
    }
    lwi_text_add(out, "]\n");
}

static lw_status write_tape(const lwi_emit_source *source, const lwi_tape *tape, int nresult,
                            const lwi_emit_result *result, lwi_text *out)
{
    lwi_text once = {0}, body = {0};
    lwi_tape whole = *tape;
    int nkept = 0;
    whole.nonce = 0; // nothing is kept between calls
    const lw_status status =
        lwi_emit_lines(&whole, nresult, result, &lwi_python_syntax, &once, &body, &nkept);
    for (int i = 0; i < nresult; ++i) {
        lwi_text_format(out, "    %s = [0.0] * %d\n", result[i].name, result[i].size);
    }
    if (source->is_sincos_input) {
        lwi_text_add(out, "    s = [sin(i) for i in q]\n    c = [cos(i) for i in q]\n");
    }
    lwi_text_format(out, "%s    return %s%s\n", body.at ? body.at : "", result[0].name,
                    nresult > 1 ? ", J" : "");
    lwi_text_free(&once);
    lwi_text_free(&body);
    return status;
}

static lw_status write_loop(const lwi_emit_source *source, int i, lwi_text *out)
{
    const lwi_tape_loop *l = &source->loops->loop[i];
    const lwi_emit_result rows[] = {{.name = "r", .size = l->nrow},
                                    {.name = "J", .size = l->nrow * l->ndof}};
    const lwi_emit_result moved = {.name = "y", .size = l->nx};
    lwi_text_format(out, "\n\ndef _rows%d(p, q, x):\n    # Conditions of loop ", i);
    lwi_emit_comment(out, l->name);
    lwi_text_add(out, ", and their derivatives.\n");
    lw_status status = write_tape(source, l->rows, 2, rows, out);
    if (status == LW_OK) {
        lwi_text_format(out, "\n\ndef _move%d(q, x, d):\n", i);
        status = write_tape(source, l->move, 1, &moved, out);
    }
    return status;
}

// What all loops share. n degrees of freedom, m conditions; x[first] begins the unknowns.
static const char
    common[] = "\n\ndef _invert(m, n, J):\n"
               "    # The pseudo-inverse of J, by orthogonal columns (Gram and Schmidt), or None.\n"
               "    Q = [[J[i * n + k] for i in range(m)] for k in range(n)]\n"
               "    R = [[0.0] * n for k in range(n)]\n"
               "    for k in range(n):\n"
               "        own = sum(J[i * n + k] ** 2 for i in range(m))\n"
               "        square = sum(e * e for e in Q[k])\n"
               "        if not square > " TEXT_OF(
                   LWI_LOOP_SINGULAR) " * own:\n            return None\n"
                                      "        R[k][k] = 1.0 / square\n"
                                      "        for c in range(k + 1, n):\n"
                                      "            R[k][c] = R[k][k] * sum(a * b for a, b in "
                                      "zip(Q[k], Q[c]))\n"
                                      "            Q[c] = [b - R[k][c] * a for a, b in zip(Q[k], "
                                      "Q[c])]\n"
                                      "    P = [None] * n\n"
                                      "    for k in range(n - 1, -1, -1):\n"
                                      "        P[k] = [R[k][k] * e for e in Q[k]]\n"
                                      "        for c in range(k + 1, n):\n"
                                      "            P[k] = [a - R[k][c] * b for a, b in zip(P[k], "
                                      "P[c])]\n"
                                      "    return [e for row in P for e in row]\n"
                                      "\n\ndef _iterate(loop, p, q, x):\n"
                                      "    # Newton's method, first by the P of before: the change "
                                      "of J, or 2 where it fails.\n"
                                      "    rows, move, m, n, nx, first, size, unit, start = loop\n"
                                      "    at, before = first + nx, 1.0\n"
                                      "    P0 = P = x[at:at + m * n]\n"
                                      "    for k in range(10):\n"
                                      "        r, J = rows(p, q, x)\n"
                                      "        P = _invert(m, n, J) if k > 0 else P\n"
                                      "        if P is None:\n            break\n"
                                      "        x[at:at + m * n] = P\n"
                                      "        d = [-sum(P[i * m + j] * r[j] for j in range(m)) "
                                      "for i in range(n)]\n"
                                      "        x[first:at] = move(q, x, d)\n"
                                      "        change = sqrt(sum((d[i] / unit[i]) ** 2 for i in "
                                      "range(n)))\n"
                                      "        if k > 0 and (change <= " TEXT_OF(LWI_LOOP_ENOUGH) " or change <= " TEXT_OF(
                                          LWI_LOOP_LEAST) "\n"
                                                          "                      and change > 0.5 "
                                                          "* before):\n"
                                                          "            if not sqrt(sum(e * e for e "
                                                          "in r)) <= " TEXT_OF(
                                                              LWI_LOOP_CLOSED) " * size:\n         "
                                                                               "       break\n"
                                                                               "            total "
                                                                               "= 0.0\n"
                                                                               "            for i "
                                                                               "in range(n):\n     "
                                                                               "           for j "
                                                                               "in range(n):\n"
                                                                               "                   "
                                                                               " e = sum(P0[i * m "
                                                                               "+ c] * J[c * n + "
                                                                               "j] for c in "
                                                                               "range(m))\n"
                                                                               "                   "
                                                                               " e = (e - (i == "
                                                                               "j)) * unit[j] / "
                                                                               "unit[i]\n"
                                                                               "                   "
                                                                               " total += e * e\n"
                                                                               "            return "
                                                                               "sqrt(total)\n"
                                                                               "        if not "
                                                                               "change <= 0.5 * "
                                                                               "before:\n          "
                                                                               "  break\n"
                                                                               "        before = "
                                                                               "change\n"
                                                                               "    return 2.0\n"
                                                                               "\n\ndef _begin(p, "
                                                                               "x):\n"
                                                                               "    x[:1 + "
                                                                               "len(_REFERENCE)] = "
                                                                               "[1.0] + "
                                                                               "_REFERENCE\n"
                                                                               "    for rows, "
                                                                               "move, m, n, nx, "
                                                                               "first, size, unit, "
                                                                               "start in _LOOPS:\n"
                                                                               "        "
                                                                               "x[first:first + "
                                                                               "nx] = start\n"
                                                                               "        P = "
                                                                               "_invert(m, n, "
                                                                               "rows(p, "
                                                                               "_REFERENCE, "
                                                                               "x)[1])\n"
                                                                               "        if P is "
                                                                               "None:\n            "
                                                                               "return False\n"
                                                                               "        x[first + "
                                                                               "nx:first + nx + m "
                                                                               "* n] = P\n"
                                                                               "    return True\n"
                                                                               "\n\ndef _close(p, "
                                                                               "q, x):\n"
                                                                               "    # Closes the "
                                                                               "loops at q, from "
                                                                               "where they are in "
                                                                               "x along the "
                                                                               "straight way, in "
                                                                               "pieces; "
                                                                               "False,\n"
                                                                               "    # and x as it "
                                                                               "was, where that "
                                                                               "fails.\n"
                                                                               "    y, n = "
                                                                               "list(x), "
                                                                               "len(_REFERENCE)\n"
                                                                               "    if x[0] == 0.0 "
                                                                               "and not _begin(p, "
                                                                               "y):\n        "
                                                                               "return False\n"
                                                                               "    way = "
                                                                               "max([abs(q[i] - "
                                                                               "y[1 + i]) * "
                                                                               "_WEIGHT[i] for i "
                                                                               "in range(n)], "
                                                                               "default=0.0)\n"
                                                                               "    done, longest "
                                                                               "= 0.0, 1.0 / way "
                                                                               "if way > 1.0 else "
                                                                               "1.0\n"
                                                                               "    piece = "
                                                                               "longest\n"
                                                                               "    for k in "
                                                                               "range(200):\n"
                                                                               "        if piece "
                                                                               "< " TEXT_OF(
                                                                                   LWI_LOOP_SHORTEST) ":\n            break\n"
                                                                                                      "        to, z, change = min(1.0, done + piece), list(y), 0.0\n"
                                                                                                      "        at = [y[1 + i] + to * (q[i] - y[1 + i]) if to < 1.0 else q[i] for i in range(n)]\n"
                                                                                                      "        try:\n"
                                                                                                      "            for loop in _LOOPS:\n"
                                                                                                      "                if change <= " TEXT_OF(
                                                                                                          LWI_LOOP_ALIKE) ":\n"
                                                                                                                          "                    change = max(change, _iterate(loop, p, at, z))\n"
                                                                                                                          "        except (ArithmeticError, ValueError):\n            change = 2.0\n"
                                                                                                                          "        if change <= " TEXT_OF(
                                                                                                                              LWI_LOOP_ALIKE) ":\n            y, done = z, to\n"
                                                                                                                                              "        if done >= 1.0:\n"
                                                                                                                                              "            x[:] = y\n            x[1:1 + n] = q\n            return True\n"
                                                                                                                                              "        piece = min(longest, piece * min(2.0, max(0.1, " TEXT_OF(
                                                                                                                                                  LWI_LOOP_WANTED) " / change)))\n"
                                                                                                                                                                   "    return False\n";

lw_status lwi_python_loops(const lwi_emit_source *source, lwi_text *out)
{
    const lwi_tape_loops *all = source->loops;
    lw_status status = LW_OK;
    lwi_text_format(
        out,
        "\n# Length of x, where the loops without a closed form were closed last: zeros "
        "before the first\n# call, and kept between calls. Where they cannot be closed "
        "from there x stays, and all\n# results are NaN.\nX_SIZE = %d\n",
        all->nstate);
    for (int i = 0; i < all->nloop && status == LW_OK; ++i) {
        status = write_loop(source, i, out);
    }
    lwi_text_add(out, common);
    write_numbers(out, "\n\n_REFERENCE", all->q, all->nq);
    lwi_text_add(out, "_WEIGHT = [");
    for (int i = 0; i < all->nq; ++i) {
        lwi_text_add(out, i > 0 ? ", " : "");
        lwi_emit_number(out, 1.0 / all->reach[i], "");
    }
    lwi_text_add(out, "]\n_LOOPS = []\n");
    for (int i = 0; i < all->nloop; ++i) {
        const lwi_tape_loop *l = &all->loop[i];
        write_numbers(out, "_unit", l->unit, l->ndof);
        write_numbers(out, "_start", l->start, l->nx);
        lwi_text_format(out, "_LOOPS.append((_rows%d, _move%d, %d, %d, %d, %d, ", i, i, l->nrow,
                        l->ndof, l->nx, l->first);
        lwi_emit_number(out, l->size, "");
        lwi_text_add(out, ", _unit, _start))\n");
    }
    return status;
}
