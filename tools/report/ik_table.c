#include "report/ik_table.h"

#include "support/numeral.h"

#include <math.h>

void ik_branch_text(const lw_ik_branch *branch, char text[64])
{
    static const char *const name[] = {"shoulder", "elbow", "wrist"};
    const int sign[] = {branch->shoulder, branch->elbow, branch->wrist};
    int used = 0;
    text[0] = '\0';
    for (int i = 0; i < 3; ++i) {
        if (sign[i] != 0) {
            used += snprintf(text + used, 64 - (size_t)used, "%s%s %c", used > 0 ? ", " : "",
                             name[i], sign[i] > 0 ? '+' : '-');
        }
    }
}

// Text has the joints of the chain, and those that its loops and gears determine: others keep the
// values that were given.
static bool is_shown(const lw_ik_info *info, int k)
{
    bool is = false;
    for (int i = 0; i < info->njoint; ++i) {
        is |= info->position[i] == k;
    }
    for (int i = 0; i < info->ndriven; ++i) {
        is |= info->driven[i] == k;
    }
    return is;
}

static int column_width(const lw_model *m, int k)
{
    const int width = output_width(m->position_name[k]);
    return width > 11 ? width : 11; // as -0.00022223 is
}

void ik_table_row(output *out, const lw_model *m, const lw_ik_info *info, int i,
                  const lw_ik_solution *s, const double *q)
{
    char branch[64], number[NUMBER_SIZE];
    ik_branch_text(&s->branch, branch);
    fprintf(out->text, "%3d ", i + 1);
    for (int k = 0; k < m->nq; ++k) {
        if (is_shown(info, k)) {
            fprintf(out->text, " %*s", column_width(m, k),
                    number_text(fabs(q[k]) < 1e-12 ? 0.0 : q[k], number));
        }
    }
    const char *const remark[] = {branch, s->in_limits ? "" : "outside the limits",
                                  s->is_exact ? "" : "nearest, not exact"};
    const char *between = "  ";
    for (int k = 0; k < 3; ++k) {
        if (remark[k][0] != '\0') {
            fprintf(out->text, "%s%s", between, remark[k]);
            between = "; ";
        }
    }
    fputc('\n', out->text);
}

void ik_table_heads(output *out, const lw_model *m, const lw_ik_info *info)
{
    fputs("    ", out->text);
    for (int k = 0; k < m->nq; ++k) {
        if (is_shown(info, k)) {
            fprintf(out->text, " %*s", column_width(m, k), m->position_name[k]);
        }
    }
    fputc('\n', out->text);
}
