// Symbols: R_i the rotation and q_i the position of joint i, h_i its axis, c_i a point of it, all
// at zero position; p the point that is carried at zero position and g where it is to be. In a
// wrist a, b, c are its joints and W the rotation that the joints before leave to it.
#include "describe_few.h"

#include "describe.h"

#include <stdio.h>

typedef struct step {
    const char *subproblem, *equation;
    int nsolution;
    int joint[3]; // from 1, 0 for none
} step;

typedef struct recipe {
    const char *name;
    step step[3];
} recipe;

static const recipe recipes[] = {
    [LWI_REACH_NONE] = {"", {{0}}},
    [LWI_REACH_P] = {"one prismatic joint", {{"linear", "q1 = h1 . (g - p)", 1, {1}}}},
    [LWI_REACH_R] = {"one axis", {{"SP1", "R1 (p - c1) = g - c1", 1, {1}}}},
    [LWI_REACH_PP] = {"two prismatic joints", {{"linear", "q1 h1 + q2 h2 = g - p", 1, {1, 2}}}},
    [LWI_REACH_RP] = {"an axis and a prismatic joint",
                      {{"quadratic", "|p - c1 + q2 h2| = |g - c1|", 2, {2}},
                       {"SP1", "R1 (p - c1 + q2 h2) = g - c1", 1, {1}}}},
    [LWI_REACH_PR] = {"a prismatic joint and an axis",
                      {{"quadratic", "|g - c2 - q1 h1| = |p - c2|", 2, {1}},
                       {"SP1", "R2 (p - c2) = g - c2 - q1 h1", 1, {2}}}},
    [LWI_REACH_RR_PARALLEL] = {"two parallel axes",
                               {{"SP3", "|c2 - c1 + R2 (p - c2)| = |g - c1|", 2, {2}},
                                {"SP1", "R1 (c2 - c1 + R2 (p - c2)) = g - c1", 1, {1}}}},
    [LWI_REACH_RR] = {"two axes",
                      {{"SP4", "h1 . R2 (p - c2) = h1 . (g - c2)", 2, {2}},
                       {"SP1", "R1 (c2 - c1 + R2 (p - c2)) = g - c1", 1, {1}}}},
    [LWI_REACH_PPP] = {"three prismatic joints",
                       {{"linear", "q1 h1 + q2 h2 + q3 h3 = g - p", 1, {1, 2, 3}}}},
    [LWI_REACH_RPP] = {"an axis and two prismatic joints",
                       {{"SP4", "(h2 x h3) . R1' (g - c1) = (h2 x h3) . (p - c1)", 2, {1}},
                        {"linear", "q2 h2 + q3 h3 = R1' (g - c1) - (p - c1)", 1, {2, 3}}}},
    [LWI_REACH_PRP] = {"a prismatic joint, an axis and a prismatic joint",
                       {{"quadratic",
                         "|g - c2 - q1 h1| = |p - c2 + q3 h3|, "
                         "h2 . (q1 h1 + q3 h3) = h2 . (g - p)",
                         2,
                         {1, 3}},
                        {"SP1", "R2 (p - c2 + q3 h3) = g - c2 - q1 h1", 1, {2}}}},
    [LWI_REACH_RRP_PARALLEL] = {"two parallel axes and a prismatic joint",
                                {{"linear", "q3 h1 . h3 = h1 . (g - p)", 1, {3}},
                                 {"SP3", "|c2 - c1 + R2 (p - c2 + q3 h3)| = |g - c1|", 2, {2}},
                                 {"SP1", "R1 (c2 - c1 + R2 (p - c2 + q3 h3)) = g - c1", 1, {1}}}},
    [LWI_REACH_RPR_PARALLEL] = {"a prismatic joint between two parallel axes",
                                {{"linear", "q2 h1 . h2 = h1 . (g - p)", 1, {2}},
                                 {"SP3", "|c3 - c1 + q2 h2 + R3 (p - c3)| = |g - c1|", 2, {3}},
                                 {"SP1", "R1 (c3 - c1 + q2 h2 + R3 (p - c3)) = g - c1", 1, {1}}}},
    [LWI_REACH_RRP_SQUARE] =
        {"two axes and a prismatic joint across the second",
         {{"SP4", "h2 . R1' (g - c1) = h2 . (p - c1)", 2, {1}},
          {"quadratic", "|p - c2 + q3 h3| = |R1' (g - c1) - (c2 - c1)|", 2, {3}},
          {"SP1", "R2 (p - c2 + q3 h3) = R1' (g - c1) - (c2 - c1)", 1, {2}}}},
    [LWI_REACH_RRP_MEETING] = {"two axes that intersect, and a prismatic joint",
                               {{"quadratic", "|p - c2 + q3 h3| = |g - c2|", 2, {3}},
                                {"SP2", "R1' (g - c2) = R2 (p - c2 + q3 h3)", 2, {1, 2}}}},
    [LWI_REACH_RRP] = {"two axes and a prismatic joint",
                       {{"quartic",
                         "|R1' (g - c1) - (c2 - c1)| = |p - c2 + q3 h3|, "
                         "h2 . R1' (g - c1) = h2 . (p - c1 + q3 h3)",
                         4,
                         {1, 3}},
                        {"SP1", "R2 (p - c2 + q3 h3) = R1' (g - c1) - (c2 - c1)", 1, {2}}}},
    [LWI_REACH_RPR] = {"a prismatic joint between two axes",
                       {{"SP6", "h2 x (R1' (g - c1) - (c3 - c1) - R3 (p - c3)) = 0", 4, {1, 3}},
                        {"linear", "q2 = h2 . (R1' (g - c1) - (c3 - c1) - R3 (p - c3))", 1, {2}}}},
    [LWI_REACH_RRR_PARALLEL] =
        {"an axis and two parallel axes",
         {{"SP4", "h2 . R1' (g - c1) = h2 . (p - c1)", 2, {1}},
          {"SP3", "|c3 - c2 + R3 (p - c3)| = |R1' (g - c1) - (c2 - c1)|", 2, {3}},
          {"SP1", "R2 (c3 - c2 + R3 (p - c3)) = R1' (g - c1) - (c2 - c1)", 1, {2}}}},
    [LWI_REACH_RRR_MEETING] = {"two axes that intersect, and an axis",
                               {{"SP3", "|c3 - c2 + R3 (p - c3)| = |g - c2|", 2, {3}},
                                {"SP2", "R1' (g - c2) = R2 (c3 - c2 + R3 (p - c3))", 2, {1, 2}}}},
    [LWI_REACH_RRR] =
        {"three axes",
         {{"SP5", "R1' (g - c1) - (c2 - c1) = R2 (c3 - c2 + R3 (p - c3))", 4, {1, 2, 3}}}},
};

// The same for chains that are solved from the point that they carry. Joints are numbered as they
// are in the chain.
static const recipe seen_from_the_point[] = {
    // Of three joints within a plane, without the first.
    [LWI_REACH_RP] = {"a prismatic joint and an axis",
                      {{"quadratic", "|g - c3 - q2 h2| = |p - c3|", 2, {2}},
                       {"SP1", "R3 (p - c3) = g - c3 - q2 h2", 1, {3}}}},
    [LWI_REACH_RR_PARALLEL] = {"two parallel axes",
                               {{"SP3", "|R2' (g - c2) - (c3 - c2)| = |p - c3|", 2, {2}},
                                {"SP1", "R3 (p - c3) = R2' (g - c2) - (c3 - c2)", 1, {3}}}},
    [LWI_REACH_RPP] = {"two prismatic joints and an axis",
                       {{"SP4", "(h1 x h2) . R3 (p - c3) = (h1 x h2) . (g - c3)", 2, {3}},
                        {"linear", "q1 h1 + q2 h2 = g - c3 - R3 (p - c3)", 1, {1, 2}}}},
    [LWI_REACH_RRP_PARALLEL] = {"a prismatic joint and two parallel axes",
                                {{"linear", "q1 h1 . h3 = h3 . (g - p)", 1, {1}},
                                 {"SP3", "|c3 - c2 + R3 (p - c3)| = |g - c2 - q1 h1|", 2, {3}},
                                 {"SP1", "R2 (c3 - c2 + R3 (p - c3)) = g - c2 - q1 h1", 1, {2}}}},
    [LWI_REACH_RRP_SQUARE] = {"a prismatic joint across the first of two axes",
                              {{"SP4", "h2 . R3 (p - c3) = h2 . (g - c3)", 2, {3}},
                               {"quadratic", "|g - c2 - q1 h1| = |c3 - c2 + R3 (p - c3)|", 2, {1}},
                               {"SP1", "R2 (c3 - c2 + R3 (p - c3)) = g - c2 - q1 h1", 1, {2}}}},
    [LWI_REACH_RRP_MEETING] = {"a prismatic joint and two axes that intersect",
                               {{"quadratic", "|g - c2 - q1 h1| = |p - c2|", 2, {1}},
                                {"SP2", "R2' (g - c2 - q1 h1) = R3 (p - c2)", 2, {2, 3}}}},
    [LWI_REACH_RRP] = {"a prismatic joint and two axes",
                       {{"quartic",
                         "|c3 - c2 + R3 (p - c3)| = |g - c2 - q1 h1|, "
                         "h2 . R3 (p - c3) = h2 . (g - c3 - q1 h1)",
                         4,
                         {1, 3}},
                        {"SP1", "R2 (c3 - c2 + R3 (p - c3)) = g - c2 - q1 h1", 1, {2}}}},
    [LWI_REACH_RRR_PARALLEL] =
        {"two parallel axes and an axis",
         {{"SP4", "h2 . R3 (p - c3) = h2 . (g - c3)", 2, {3}},
          {"SP3", "|R1' (g - c1) - (c2 - c1)| = |c3 - c2 + R3 (p - c3)|", 2, {1}},
          {"SP1", "R2 (c3 - c2 + R3 (p - c3)) = R1' (g - c1) - (c2 - c1)", 1, {2}}}},
    [LWI_REACH_RRR_MEETING] =
        {"an axis and two axes that intersect",
         {{"SP3", "|R1' (g - c1) - (c2 - c1)| = |p - c2|", 2, {1}},
          {"SP2", "R2' (R1' (g - c1) - (c2 - c1)) = R3 (p - c2)", 2, {2, 3}}}},
};

static const recipe *recipe_of(const lwi_reach *reach)
{
    return reach->is_reversed ? &seen_from_the_point[reach->kind] : &recipes[reach->kind];
}

// Steps of the joints that carry a point. Returns how many solutions they have at most.
static int add_reach(lw_ik_info *info, const lwi_reach *reach)
{
    const recipe *r = recipe_of(reach);
    int most = 1;
    for (int i = 0; i < 3 && r->step[i].subproblem; ++i) {
        const step *s = &r->step[i];
        lwi_ik_add_step(info, s->subproblem, s->nsolution, s->joint[0] - 1, s->joint[1] - 1,
                        s->joint[2] - 1, s->equation);
        most *= s->nsolution;
    }
    return most;
}

static int add_wrist(lw_ik_info *info, int first, int n)
{
    if (n == 3) {
        lwi_ik_add_step(info, "SP4", 2, first, -1, -1, "hb . Ra' W hc = hb . hc");
        lwi_ik_add_step(info, "SP1", 1, first + 1, -1, -1, "Rb hc = Ra' W hc");
    } else if (n == 2) {
        lwi_ik_add_step(info, "SP1", 1, first, -1, -1, "Ra hb = W hb");
    }
    if (n > 0) {
        lwi_ik_add_step(info, "SP1", 1, first + n - 1, -1, -1,
                        n == 3   ? "Rc x = Rb' Ra' W x, x = hb x hc"
                        : n == 2 ? "Rb x = Ra' W x, x = ha x hb"
                                 : "Ra = W");
    }
    return n == 3 ? 2 : 1;
}

// Neighbouring axes that are parallel or intersect, whether or not the class needs it.
static void add_facts(lw_ik *ik, const lwi_few *few)
{
    const lwi_arm *arm = &ik->chain.arm;
    lw_ik_info *info = &ik->info;
    const bool is_reversed = info->is_reversed;
    info->is_reversed = false;
    for (int i = 0; i + 1 < arm->n; ++i) {
        lw_vec3 a, b;
        if (arm->slides[i] || arm->slides[i + 1]) {
            continue;
        }
        const double off = lwi_axis_angle(arm, i, i + 1);
        if (off < few->angle) {
            lwi_ik_add_fact(info, LW_IK_PARALLEL, i, i + 1, off);
            continue;
        }
        const double apart = lwi_axis_distance(arm, i, i + 1, &a, &b);
        if (apart < few->distance * few->scale) {
            lwi_ik_add_fact(info, LW_IK_INTERSECTING, i, i + 1, apart);
        }
    }
    info->is_reversed = is_reversed;
}

static bool keep_real(int *joint, int before, int n)
{
    *joint -= before;
    return *joint >= 0 && *joint < n;
}

// As six joints, without the virtual one.
static int add_six(lw_ik_info *info, const lwi_few *few)
{
    int nstep = 0, nfact = 0;
    info->njoint = 6;
    info->is_reversed = few->six.is_reversed;
    info->nfact = 0;
    lwi_six_describe(&few->six, info);
    for (int i = 0; i < info->nstep; ++i) {
        lw_ik_step s = info->step[i];
        const int n = s.njoint;
        s.njoint = 0;
        for (int k = 0; k < n; ++k) {
            int joint = s.joint[k];
            if (keep_real(&joint, few->before, few->n)) {
                s.joint[s.njoint++] = joint;
            }
        }
        if (s.njoint > 0) {
            info->step[nstep++] = s;
        }
    }
    for (int i = 0; i < info->nfact; ++i) {
        lw_ik_fact f = info->fact[i];
        if (keep_real(&f.first, few->before, few->n) && keep_real(&f.last, few->before, few->n)) {
            info->fact[nfact++] = f;
        }
    }
    info->nstep = nstep;
    info->nfact = nfact;
    info->njoint = few->n;
    if (few->n < 6) {
        info->class_name = few->rows == LWI_ROWS_DIRECTION
                               ? "six revolute joints with a virtual one about the tip's z axis"
                               : "six revolute joints with a virtual one that rotates by zero";
    }
    return info->most_solutions;
}

// What arms of this kind are called, if they have a name.
static const char *type_of(const lwi_few *few)
{
    const lwi_arm *arm = &few->arm;
    int slides = 0;
    bool are_parallel = true;
    for (int i = 0; i < few->n; ++i) {
        slides += arm->slides[i];
        are_parallel = are_parallel && lwi_axis_angle(arm, 0, i) < few->angle;
    }
    const lwi_reach_class kind = few->reach.kind;
    if (few->n == 4 && slides == 1 && are_parallel) {
        return "SCARA: ";
    }
    if (few->n == 6 && few->wrist == 3) {
        return kind == LWI_REACH_PPP                                   ? "gantry: "
               : kind == LWI_REACH_RPP || kind == LWI_REACH_PRP        ? "cylindrical arm: "
               : kind >= LWI_REACH_RRP_SQUARE && kind <= LWI_REACH_RRP ? "Stanford type: "
                                                                       : "";
    }
    return few->n > 1 && slides == 0 && are_parallel ? "planar arm: " : "";
}

// The joints that carry the point, and the wrist, in words.
static void name_wrist(lw_ik *ik, const lwi_few *few)
{
    static const char *const wrist[] = {"", "a last axis", "two last axes that intersect",
                                        "a spherical wrist"};
    const char *reach = few->reach.n > 0 ? recipe_of(&few->reach)->name : "",
               *link = few->reach.n > 0 && few->wrist > 0 ? ", then " : "";
    snprintf(ik->class_text, sizeof ik->class_text, "%s%s%s%s", type_of(few), reach, link,
             wrist[few->wrist]);
    ik->info.class_name = ik->class_text;
}

static void describe_few(lw_ik *ik, const lwi_few *few)
{
    lw_ik_info *info = &ik->info;
    int most = 1;
    info->is_reversed = few->is_reversed;
    add_facts(ik, few);
    switch (few->kind) {
    case LWI_FEW_NONE:
        break;
    case LWI_FEW_POSITION:
        info->class_name = recipe_of(&few->reach)->name;
        most = add_reach(info, &few->reach);
        break;
    case LWI_FEW_WRIST:
        name_wrist(ik, few);
        most = add_reach(info, &few->reach);
        most *= add_wrist(info, few->reach.n, few->wrist);
        break;
    case LWI_FEW_ORIENTATION:
        info->class_name = "orientation first, then prismatic joints and parallel axes";
        lwi_ik_add_step(info, few->nrun == 3 ? "SP4" : "SP1", few->nrun == 3 ? 2 : 1, -1, -1, -1,
                        "Ra Rb Rc = R, a, b, c the directions of the revolute axes");
        lwi_ik_add_step(
            info, "position", 4, -1, -1, -1,
            "prismatic joints and parallel axes carry a point of the last of these to its place");
        most = 8;
        break;
    case LWI_FEW_SIX:
        most = add_six(info, few);
        break;
    case LWI_FEW_ELIMINATION:
        info->class_name =
            few->n < 6 ? "no closed form, completed by a virtual joint" : "no closed form";
        info->method = LW_IK_ELIMINATION;
        most = 16;
        break;
    }
    info->most_solutions = most;
}

void lwi_few_describe(lw_ik *ik)
{
    describe_few(ik, &ik->few);
}

void lwi_redundant_describe(lw_ik *ik)
{
    lw_ik_info *info = &ik->info;
    if (ik->kind == LWI_IK_SWIVEL) {
        info->class_name = "spherical shoulder, elbow, spherical wrist; swivel angle given";
        info->most_solutions = 8;
        lwi_ik_add_fact(info, LW_IK_SPHERICAL, 0, 2, ik->swivel.margin);
        lwi_ik_add_fact(info, LW_IK_SPHERICAL, 4, 6, ik->swivel.margin);
        lwi_ik_add_step(info, "SP3", 2, 3, -1, -1,
                        "|E4 w - s| = |g - s|, s the shoulder, w the "
                        "wrist at zero position, g where it is to be");
        lwi_ik_add_step(
            info, "SP4", 2, 0, -1, -1,
            "h2 . R1' R03 h3 = h2 . h3, R03 takes w and the elbow to g and the swivel angle");
        lwi_ik_add_step(info, "SP1", 1, 1, -1, -1, "R2 h3 = R1' R03 h3");
        lwi_ik_add_step(info, "SP1", 1, 2, -1, -1, "R3 x = R2' R1' R03 x, x = h2 x h3");
        lwi_ik_add_step(info, "SP4", 2, 4, -1, -1, "h6 . R5' R04' R07 h7 = h6 . h7");
        lwi_ik_add_step(info, "SP1", 1, 5, -1, -1, "R6 h7 = R5' R04' R07 h7");
        lwi_ik_add_step(info, "SP1", 1, 6, -1, -1, "R7 x = R6' R5' R04' R07 x, x = h6 x h7");
        return;
    }
    // The others as a chain of their own; then joints are counted as in the whole chain.
    const lwi_locked *l = &ik->locked;
    const int n = info->njoint;
    info->njoint = n - 1;
    if (l->few.kind == LWI_FEW_ELIMINATION) {
        info->method = LW_IK_ELIMINATION;
    }
    describe_few(ik, &l->few);
    for (int i = 0; i < info->nstep; ++i) {
        for (int k = 0; k < info->step[i].njoint; ++k) {
            info->step[i].joint[k] += info->step[i].joint[k] >= l->joint;
        }
    }
    info->njoint = n;
    info->nfact = 0; // those of the whole chain
    const bool is_reversed = info->is_reversed;
    info->is_reversed = false;
    add_facts(ik, &l->few);
    lwi_ik_add_step(info, "given", 1, l->joint, -1, -1,
                    "the redundancy of the target, or the value in the seed");
    info->is_reversed = is_reversed;
}
