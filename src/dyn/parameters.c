// Inertial parameters of bodies and links, as rates of change of the inertia of a body.
//
// The inertia of a body is the sum of those of its links, moved into its frame; moving is linear.
// So whatever number of a link is varied, mass, first moment and tensor of the body change at a
// rate that is found in the link's frame and moved.

#include <linkwork/derivatives.h>

#include <string.h>

// One list gives the order and the texts; lw_link_parameter has the same order.
static const char *const NAME[LW_LINK_PARAMETER_COUNT] = {
    "mass",           "center.x",       "center.y",      "center.z",   "inertia.xx",
    "inertia.yy",     "inertia.zz",     "inertia.xy",    "inertia.xz", "inertia.yz",
    "first_moment.x", "first_moment.y", "first_moment.z"};

const char *lw_link_parameter_name(lw_link_parameter kind)
{
    return (int)kind >= 0 && kind < LW_LINK_PARAMETER_COUNT ? NAME[kind] : "";
}

static lw_vec3 unit(int axis)
{
    return lw_vec3_of(axis == 0, axis == 1, axis == 2);
}

// Entry k of a tensor, in the order xx yy zz xy xz yz.
static lw_sym3 unit_tensor(int k)
{
    const lw_sym3 r = {k == 0, k == 1, k == 2, k == 3, k == 4, k == 5};
    return r;
}

lw_status lw_parameter_of_body(const lw_model *m, int body, lw_body_parameter kind,
                               lw_inertial_parameter *parameter)
{
    if (!m || !parameter || body < 0 || body >= m->nbody || (int)kind < 0 ||
        kind >= LW_BODY_PARAMETER_COUNT) {
        return LW_ERR_ARGUMENT;
    }
    lw_inertia rate = {0, {0, 0, 0}, {0, 0, 0, 0, 0, 0}};
    if (kind == LW_BODY_MASS) {
        rate.mass = 1.0;
    } else if (kind < LW_BODY_TENSOR_XX) {
        rate.first_moment = unit((int)kind - LW_BODY_FIRST_MOMENT_X);
    } else {
        rate.tensor = unit_tensor((int)kind - LW_BODY_TENSOR_XX);
    }
    parameter->body = body;
    parameter->rate = rate;
    return LW_OK;
}

// In the link's own frame, about its origin.
static lw_inertia rate_in_link(const lw_link_info *link, lw_link_parameter kind)
{
    const lw_vec3 c = link->X_FI.p;
    const lw_sym3 no_tensor = {0, 0, 0, 0, 0, 0};
    lw_inertia rate = {0, {0, 0, 0}, no_tensor};
    if (kind == LW_LINK_MASS) {
        return lw_inertia_of(1.0, c, no_tensor);
    }
    if (kind < LW_LINK_INERTIA_XX) {
        // The tensor contains m (c.c 1 - c c').
        const lw_vec3 e = unit((int)kind - LW_LINK_CENTER_X);
        const double m = link->mass, ce = 2.0 * lw_dot3(c, e);
        rate.first_moment = lw_scale3(m, e);
        rate.tensor.xx = m * (ce - 2.0 * c.x * e.x);
        rate.tensor.yy = m * (ce - 2.0 * c.y * e.y);
        rate.tensor.zz = m * (ce - 2.0 * c.z * e.z);
        rate.tensor.xy = -m * (c.x * e.y + c.y * e.x);
        rate.tensor.xz = -m * (c.x * e.z + c.z * e.x);
        rate.tensor.yz = -m * (c.y * e.z + c.z * e.y);
        return rate;
    }
    if (kind < LW_LINK_FIRST_MOMENT_X) {
        const lw_sym3 tensor = unit_tensor((int)kind - LW_LINK_INERTIA_XX);
        rate.tensor = lw_sym3_rotate(&link->X_FI.R, &tensor);
        return rate;
    }
    rate.first_moment = unit((int)kind - LW_LINK_FIRST_MOMENT_X);
    return rate;
}

lw_status lw_parameter_of_link(const lw_model *m, int link, lw_link_parameter kind,
                               lw_inertial_parameter *parameter)
{
    if (!m || !parameter || link < 0 || link >= m->nlink || (int)kind < 0 ||
        kind >= LW_LINK_PARAMETER_COUNT) {
        return LW_ERR_ARGUMENT;
    }
    const lw_frame_info *frame = &m->frame[m->link[link].frame];
    const lw_inertia rate = rate_in_link(&m->link[link], kind);
    parameter->body = frame->body;
    parameter->rate = lw_inertia_move(&frame->X_BF, &rate);
    return LW_OK;
}

lw_status lw_find_parameter(const lw_model *m, const char *name, lw_inertial_parameter *parameter)
{
    if (!m || !name || !parameter) {
        return LW_ERR_ARGUMENT;
    }
    const size_t length = strlen(name);
    for (int k = 0; k < LW_LINK_PARAMETER_COUNT; ++k) {
        const size_t tail = strlen(NAME[k]);
        if (length < tail + 2 || name[length - tail - 1] != '.' ||
            strcmp(name + length - tail, NAME[k]) != 0) {
            continue;
        }
        for (int i = 0; i < m->nlink; ++i) {
            const char *link = m->link[i].name;
            if (strlen(link) == length - tail - 1 && memcmp(link, name, length - tail - 1) == 0) {
                return lw_parameter_of_link(m, i, (lw_link_parameter)k, parameter);
            }
        }
    }
    return LW_ERR_NAME;
}
