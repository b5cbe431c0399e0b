// Parameters that the user wants as inputs: a list of their names with commas between,
//
//   m_tool   rx_*   *_tool   *   payload=m_tool   arm=a_fore,arm=-a_upper
//
// where a star takes every part, every parameter of a part, or all; and a name before "=" is that
// of the input, which may stand for several parameters.
#include "symbols.h"

#include "../base/report.h"
#include "../model/kernel.h"
#include "loops.h"

#include <string.h>

// Whether a list with commas between its names goes on with this one.
static bool goes_on_with(const char *list, const char *name, size_t length)
{
    return strncmp(list, name, length) == 0 && (list[length] == ',' || !list[length]);
}

static bool has_longer(const char *const *name, int n, const char *list, size_t length)
{
    bool has = false;
    for (int i = 0; i < n; ++i) {
        const size_t own = strlen(name[i]);
        has = has || (own > length && goes_on_with(list, name[i], own));
    }
    return has;
}

// Whether the list goes on with this part, and not with one of a longer name: "l,1" is not "l".
static bool goes_on_with_part(const lwi_symbolic *k, const char *list, const char *part)
{
    const size_t n = strlen(part);
    return goes_on_with(list, part, n) && !has_longer(k->m->body_name, k->m->nbody, list, n) &&
           !has_longer(k->m->tree_velocity_name, k->m->tree_nv, list, n);
}

/// How an item of the list names a parameter.
typedef enum match { MATCH_NONE, MATCH_STEM, MATCH_PART } match;

// `length` gets how much of the list the item takes.
static match match_parameter(const lwi_symbolic *k, const char *item, const char *stem,
                             const char *part, size_t *length)
{
    const size_t head = strlen(stem);
    const bool has_stem = strncmp(item, stem, head) == 0 && item[head] == '_';
    if (!*part && goes_on_with(item, stem, head)) {
        *length = head;
        return MATCH_STEM;
    }
    if (*part && has_stem && goes_on_with_part(k, item + head + 1, part)) {
        *length = head + 1 + strlen(part);
        return MATCH_STEM;
    }
    if (*part && has_stem && goes_on_with(item + head + 1, "*", 1)) {
        *length = head + 2;
        return MATCH_STEM;
    }
    if (*part && item[0] == '*' && item[1] == '_' && goes_on_with_part(k, item + 2, part)) {
        *length = 2 + strlen(part);
        return MATCH_PART;
    }
    *length = 1;
    return goes_on_with(item, "*", 1) ? MATCH_PART : MATCH_NONE;
}

// The same for an item with or without a name of the user's.
static match match_item(const lwi_symbolic *k, const char *item, const char *stem, const char *part,
                        lwi_input *input, size_t *length)
{
    const match plain = match_parameter(k, item, stem, part, length);
    const size_t name = strcspn(item, ",=");
    *input = (lwi_input){0};
    if (plain != MATCH_NONE || item[name] != '=' || name == 0) {
        return plain;
    }
    const char *behind = item + name + 1;
    *input = (lwi_input){item, name, *behind == '-'};
    behind += input->is_negative;
    const match found = match_parameter(k, behind, stem, part, length);
    *length += (size_t)(behind - item);
    return found;
}

bool lwi_find_input(lwi_symbolic *k, const char *stem, const char *part, bool by_part,
                    lwi_input *input)
{
    bool is_found = false;
    for (const char *w = k->inputs; w; w = strchr(w, ',') ? strchr(w, ',') + 1 : NULL) {
        lwi_input own;
        size_t length;
        const match how = match_item(k, w, stem, part, &own, &length);
        if (how == MATCH_STEM || (how == MATCH_PART && by_part)) {
            size_t *taken = &k->input_taken[w - k->inputs];
            *taken = length > *taken ? length : *taken;
            *input = is_found ? *input : own;
            is_found = true;
        }
    }
    return is_found;
}

bool lwi_is_input(const lwi_symbolic *k, const char *stem, const char *part, bool by_part)
{
    bool is_found = false;
    for (const char *w = k->inputs; w; w = strchr(w, ',') ? strchr(w, ',') + 1 : NULL) {
        lwi_input own;
        size_t length;
        const match how = match_item(k, w, stem, part, &own, &length);
        is_found = is_found || how == MATCH_STEM || (how == MATCH_PART && by_part);
    }
    return is_found;
}

static bool depends(lwi_symbolic *k, lwi_expr x, int i)
{
    const lwi_expr symbol = lwi_symbol_of(k->g, k->symbol[i].name, LWI_PARAMETER, i);
    const lwi_expr one = LWI_ONE;
    lwi_differentiate(k->g, 1, &symbol, &one, 1, &x, &x);
    return x != LWI_ZERO;
}

static bool is_placed_by(lwi_symbolic *k, int body, int i)
{
    const lwi_vec *p = &k->body[body].rest.p;
    return depends(k, p->x, i) || depends(k, p->y, i) || depends(k, p->z, i);
}

// Whether a parallelogram would be none any more.
static bool is_side(lwi_symbolic *k, const lwi_loop *loop, int i)
{
    bool is = false;
    for (int side = 0; side < 2; ++side) {
        for (int at = 0; at < loop->npath[side]; ++at) {
            is = is || is_placed_by(k, loop->path[side][at], i);
        }
    }
    return is;
}

// Whether the axes of the passive joints of a leg would no longer meet.
static bool parts_axes(lwi_symbolic *k, const lwi_step *torn, int i)
{
    bool is = false;
    for (int l = 0; l < torn->legs->nleg; ++l) {
        const lwi_torn_leg *leg = &torn->legs->leg[l];
        const lwi_loop *loop = &k->m->kernel->program->loop[leg->loop];
        is = is || (leg->swivel >= 0 && is_placed_by(k, loop->path[leg->side][leg->swivel + 1], i));
    }
    return is;
}

// What cannot vary alone: lengths of linkages that move by their symmetry, sides of a
// parallelogram, rods of a pair, what would lift one end of a planar loop out of its plane, or part
// the axes of a universal joint.
const lw_symbol_info *lwi_number_in_loop(lwi_symbolic *k, int s)
{
    const lwi_step *step = &k->m->kernel->program->step[s];
    const lwi_loop *loop = step->nloop > 0 ? &k->m->kernel->program->loop[step->loop[0]] : NULL;
    const lwi_expr height = step->kind == LW_STEP_PLANAR ? lwi_plane_height(k, loop) : LWI_ZERO;
    for (int i = 0; i < k->nsymbol; ++i) {
        const bool is_length = lwi_is_length(&k->symbol[i]);
        if ((step->kind == LW_STEP_SYMMETRIC && is_length) ||
            (is_length && step->reduced && parts_axes(k, step->reduced, i)) ||
            (height != LWI_ZERO && depends(k, height, i)) ||
            (step->kind == LW_STEP_LINEAR && loop && is_length && is_side(k, loop, i)) ||
            (step->kind == LW_STEP_SPHERES && lwi_is_rod_length(&k->symbol[i]))) {
            return &k->symbol[i];
        }
    }
    return NULL;
}

lw_status lwi_check_inputs(lwi_symbolic *k)
{
    for (size_t at = 0; k->inputs && at <= strlen(k->inputs); at += k->input_taken[at] + 1) {
        if (k->input_taken[at] == 0) {
            return lwi_report_error(k->report, (lw_location){0}, LW_ERR_ARGUMENT,
                                    "there is no parameter \"%.*s\"; parameters are called like "
                                    "\"m_%s\", by what they are and by their body, degree of "
                                    "freedom or spring, and NAME=m_%s names one",
                                    (int)strcspn(k->inputs + at, ","), k->inputs + at,
                                    k->m->nbody > 0 ? k->m->body_name[0] : "link",
                                    k->m->nbody > 0 ? k->m->body_name[0] : "link");
        }
    }
    return LW_OK;
}

void lwi_note_numbers_in_loops(lwi_symbolic *k)
{
    for (int s = 0; k->is_symbolic && s < k->m->nstep; ++s) {
        const lw_symbol_info *held = lwi_number_in_loop(k, s);
        if (held) {
            lwi_report_warning(
                k->report, lwi_step_location(k->m, s), LW_DIAG_SYMBOL_ASSUMED,
                "the equations of loop \"%s\" hold for this value of \"%s\" only: as a symbol it "
                "must keep that",
                k->m->step[s].name, held->name);
        }
    }
}
