// Dependent degrees of freedom that follow linearly: what a closure step gives in terms of its
// sources is put in terms of the independent degrees of freedom that those came from.

#include <linkwork/shafts.h>

#include "../math/invert.h"

#include <stdlib.h>
#include <string.h>

enum { LARGEST = 2 * 1000 * 1000 }; // entries of the matrix

int lw_shaft_count(const lw_model *m)
{
    int count = 0;
    for (int i = m ? m->nbody - 1 : -1; i >= 0 && m->joints[m->joint[i]].is_shaft; --i) {
        ++count;
    }
    return count;
}

// --- Rows -------------------------------------------------------------------------------------

/// The ratios while they are found. Row r of tree velocity v is row_of[v]; -1 for none.
typedef struct rows {
    const lw_model *m;
    int count;
    int *dof, *row_of, *independent; ///< independent[v]: its index in v, or -1
    double *ratio, *offset;
} rows;

// Adds factor times tree velocity v to a row. False if v does not follow linearly.
static bool add_source(rows *w, int v, double factor, int row)
{
    const size_t nv = (size_t)w->m->nv;
    double *own = w->ratio + (size_t)row * nv;
    if (w->independent[v] >= 0) {
        own[w->independent[v]] += factor;
        return true;
    }
    if (w->row_of[v] < 0) {
        return false;
    }
    const double *other = w->ratio + (size_t)w->row_of[v] * nv;
    for (size_t k = 0; k < nv; ++k) {
        own[k] += factor * other[k];
    }
    w->offset[row] += factor * w->offset[w->row_of[v]];
    return true;
}

static void add_row(rows *w, const lw_step_info *step, int t)
{
    const double *c = step->coefficient + t * (1 + step->nsource);
    const int row = w->count;
    memset(w->ratio + (size_t)row * (size_t)w->m->nv, 0, (size_t)w->m->nv * sizeof *w->ratio);
    w->offset[row] = c[0];
    for (int k = 0; k < step->nsource; ++k) {
        if (!add_source(w, step->source[k], c[1 + k], row)) {
            return;
        }
    }
    w->dof[row] = step->target[t];
    w->row_of[step->target[t]] = w->count++;
}

static void find_rows(rows *w)
{
    const lw_model *m = w->m;
    for (int v = 0; v < m->tree_nv; ++v) {
        w->row_of[v] = w->independent[v] = -1;
    }
    for (int k = 0; k < m->nv; ++k) {
        w->independent[m->v_tree[k]] = k;
    }
    for (int i = 0; i < m->nstep; ++i) {
        const lw_step_info *step = &m->step[i];
        const bool is_line = step->kind == LW_STEP_FUNCTION && step->law == LW_LAW_POLYNOMIAL &&
                             step->ncoefficient == 2;
        for (int t = 0; t < step->ntarget && (is_line || step->kind == LW_STEP_LINEAR); ++t) {
            add_row(w, step, t);
        }
    }
}

// --- Drives -----------------------------------------------------------------------------------

// The rows of drives, and the columns that any of them has.
static void find_drives(const rows *w, lw_gear_ratios *r, int *drive, int *joint, double *ratio)
{
    const lw_model *m = w->m;
    const size_t nv = (size_t)m->nv;
    for (int i = 0; i < m->ndrive; ++i) {
        if (w->row_of[m->drive[i].dof] >= 0) {
            drive[r->ndrive++] = m->drive[i].dof;
        }
    }
    for (int k = 0; k < m->nv; ++k) {
        bool is_driven = false;
        for (int i = 0; i < r->ndrive && !is_driven; ++i) {
            is_driven = w->ratio[(size_t)w->row_of[drive[i]] * nv + (size_t)k] != 0;
        }
        joint[r->njoint] = k;
        r->njoint += is_driven;
    }
    for (int i = 0; i < r->ndrive; ++i) {
        for (int k = 0; k < r->njoint; ++k) {
            ratio[i * r->njoint + k] =
                w->ratio[(size_t)w->row_of[drive[i]] * nv + (size_t)joint[k]];
        }
    }
}

// The joints by the drives, if there are as many of these and they are independent.
static void invert_drives(lw_gear_ratios *r, double *scratch, double *inverse)
{
    const int n = r->ndrive;
    if (n > 0 && n == r->njoint) {
        memcpy(scratch, r->drive_ratio, (size_t)n * (size_t)n * sizeof *scratch);
        r->inverse = lwi_invert(n, scratch, inverse, 1e-12) ? inverse : NULL;
    }
}

lw_status lw_gear_ratios_create(const lw_model *m, lw_gear_ratios *r)
{
    if (!m || !r) {
        return LW_ERR_ARGUMENT;
    }
    *r = (lw_gear_ratios){0};
    const size_t nv = (size_t)m->nv, ndrive = (size_t)m->ndrive;
    const size_t dependent = (size_t)(m->tree_nv - m->nv), of_drives = ndrive * nv;
    if (dependent == 0) {
        return LW_OK;
    }
    if (dependent * nv > LARGEST || of_drives > LARGEST) {
        return LW_ERR_LIMIT;
    }
    double *block = calloc(dependent * (nv + 1) + 3 * of_drives + 1, sizeof *block);
    int *list = calloc(dependent + 2 * (size_t)m->tree_nv + ndrive + nv + 1, sizeof *list);
    if (!block || !list) {
        free(block);
        free(list);
        return LW_ERR_MEMORY;
    }
    double *offset = block + dependent * nv, *drive_ratio = offset + dependent;
    rows w = {.m = m, .dof = list, .ratio = block, .offset = offset};
    w.row_of = list + dependent;
    w.independent = w.row_of + m->tree_nv;
    int *drive = w.independent + m->tree_nv, *joint = drive + ndrive;
    find_rows(&w);
    find_drives(&w, r, drive, joint, drive_ratio);
    r->nrow = w.count;
    r->dof = list;
    r->ratio = block;
    r->offset = offset;
    r->drive = drive;
    r->joint = joint;
    r->drive_ratio = drive_ratio;
    invert_drives(r, drive_ratio + of_drives, drive_ratio + 2 * of_drives);
    return LW_OK;
}

void lw_gear_ratios_free(lw_gear_ratios *r)
{
    if (r) {
        free((double *)r->ratio);
        free((int *)r->dof);
        *r = (lw_gear_ratios){0};
    }
}
