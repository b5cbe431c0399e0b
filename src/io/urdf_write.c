// The robot, and what of the description it can hold.
#include "urdf_write.h"

#include "format.h"

#include <stdio.h>
#include <string.h>

const char *lwi_urdf_new_name(lwi_urdf_writer *w, lwi_names *names, const char *stem,
                              const char *ending)
{
    lwi_text text = {0};
    for (int i = 1; i == 1 || (!text.is_short && lwi_names_find(names, text.at) >= 0); ++i) {
        lwi_text_clear(&text);
        lwi_text_add(&text, stem);
        lwi_text_add(&text, ending);
        if (i > 1) {
            lwi_text_add(&text, "_");
            lwi_text_add_int(&text, i);
        }
    }
    const char *name = text.is_short ? NULL : lwi_arena_text(&w->arena, text.at, strlen(text.at));
    lwi_text_free(&text);
    if (!name || !lwi_names_add(names, name, 0)) {
        w->is_short = true;
        return "";
    }
    return name;
}

// --- Which parts are kept ---------------------------------------------------------------------

// The part that the written tree begins with: the ground, or the first part that is connected to
// nothing; -1 where there is none.
static int find_root(const lw_mech *mech)
{
    if (mech->ground >= 0) {
        return mech->ground;
    }
    for (int i = 0; i < mech->part.count; ++i) {
        const lw_part_kind kind = mech->part.at[i].kind;
        if (mech->part.at[i].feeder.part.index < 0 &&
            (kind == LW_PART_LINK || kind == LW_PART_JOINT) && !lwi_is_closer(&mech->part.at[i])) {
            return i;
        }
    }
    return -1;
}

// Whether a part is connected to the root by links and joints alone. The way up to a part of which
// that is known is kept in `way`, and decided on the way back.
static void find_kept(lwi_urdf_writer *w, int part, int root, int *way)
{
    const lw_mech *mech = w->mech;
    int count = 0;
    while (part >= 0 && !w->part[part].is_known) {
        way[count++] = part;
        part = mech->part.at[part].feeder.part.index;
    }
    bool is_kept = part < 0 || w->part[part].is_kept;
    while (count > 0) {
        const int i = way[--count];
        const lw_part_kind kind = mech->part.at[i].kind;
        const bool is_top = mech->part.at[i].feeder.part.index < 0;
        is_kept &= kind != LW_PART_ASSEMBLY && !lwi_is_leaf(kind) && !lwi_has_axes_only(kind) &&
                   !lwi_is_closer(&mech->part.at[i]) && (!is_top || i == root);
        w->part[i].is_known = true;
        w->part[i].is_kept = is_kept;
    }
}

static void report_lost(const lwi_urdf_writer *w, int part)
{
    const lwi_part *p = &w->mech->part.at[part];
    char clip[LWI_CLIP_SIZE];
    lwi_clip(p->name, clip);
    if (p->kind == LW_PART_ASSEMBLY) {
        lwi_report_warning(w->report, p->location, LW_DIAG_LOST,
                           "lost: assembly \"%s\", URDF has none", clip);
    } else if (lwi_has_axes_only(p->kind) || lwi_is_leaf(p->kind) || p->kind == LW_PART_SPRING) {
        lwi_report_warning(w->report, p->location, LW_DIAG_LOST, "lost: %s \"%s\", URDF has none",
                           lw_part_kind_name(p->kind), clip);
    } else if (lwi_is_closer(p)) {
        lwi_report_warning(w->report, p->location, LW_DIAG_LOST,
                           "lost: %s \"%s\", URDF has no loops",
                           p->kind == LW_PART_ROD ? "rod" : "closing joint", clip);
    } else {
        lwi_report_warning(w->report, p->location, LW_DIAG_LOST,
                           "lost: %s \"%s\", it is not connected to the root by links and joints",
                           lw_part_kind_name(p->kind), clip);
    }
}

static void find_all_kept(lwi_urdf_writer *w)
{
    const lw_mech *mech = w->mech;
    const int root = find_root(mech);
    int *way = lwi_arena_take(&w->arena, (size_t)mech->part.count, sizeof *way);
    w->is_short |= !way;
    for (int i = 0; way && i < mech->part.count; ++i) {
        find_kept(w, i, root, way);
        if (!w->part[i].is_kept && mech->part.at[i].kind != LW_PART_REMOVED) {
            report_lost(w, i);
        }
    }
}

// --- Names ------------------------------------------------------------------------------------

// The first link on a joint is its child.
static void find_carriers(lwi_urdf_writer *w)
{
    const lw_mech *mech = w->mech;
    for (int i = 0; i < mech->part.count; ++i) {
        w->part[i].carrier = -1;
        w->part[i].carried_by = -1;
        w->part[i].mimic = -1;
    }
    for (int i = 0; i < mech->part.count; ++i) {
        const int feeder = mech->part.at[i].feeder.part.index;
        if (w->part[i].is_kept && mech->part.at[i].kind == LW_PART_LINK && feeder >= 0 &&
            mech->part.at[feeder].kind == LW_PART_JOINT && w->part[feeder].carrier < 0) {
            w->part[feeder].carrier = i;
            w->part[i].carried_by = feeder;
        }
    }
}

// Links and joints keep their names; only what is added may have to give way.
static void name_all(lwi_urdf_writer *w)
{
    const lw_mech *mech = w->mech;
    for (int i = 0; i < mech->part.count; ++i) {
        const lwi_part *part = &mech->part.at[i];
        if (!w->part[i].is_kept) {
            continue;
        }
        if (part->kind == LW_PART_LINK || part->kind == LW_PART_JOINT) {
            lwi_names *names = part->kind == LW_PART_LINK ? &w->link_names : &w->joint_names;
            w->part[i].link = part->name;
            w->is_short |= !lwi_names_add(names, part->name, 0);
        }
    }
    for (int i = 0; i < mech->part.count; ++i) {
        const lwi_part *part = &mech->part.at[i];
        lwi_urdf_part *own = &w->part[i];
        if (!own->is_kept || part->kind == LW_PART_LINK) {
            continue;
        }
        if (part->kind == LW_PART_JOINT && own->carrier >= 0) {
            own->link = mech->part.at[own->carrier].name;
        } else {
            const char *ending = part->kind == LW_PART_JOINT ? "_link" : "";
            own->link = lwi_urdf_new_name(w, &w->link_names, part->name, ending);
        }
        if (part->kind == LW_PART_JOINT && part->feeder.part.index < 0) {
            w->root = lwi_urdf_new_name(w, &w->link_names, "world", "");
        }
    }
}

// --- Couplings --------------------------------------------------------------------------------

static int find_single(const lwi_urdf_writer *w, const char *name)
{
    const int part = lwi_names_find(&w->mech->names[LW_PART_JOINT], name);
    if (part < 0 || !w->part[part].is_kept) {
        return -1;
    }
    const lw_joint_type type = as_joint(&w->mech->part.at[part])->type;
    return lwi_joint_row_of(type)->urdf && lw_joint_type_nv(type) == 1 ? part : -1;
}

static const char *why_not(lwi_urdf_writer *w, const lw_coupling_def *def, int index)
{
    if (def->law != LW_LAW_POLYNOMIAL) {
        return "URDF has linear ones only";
    }
    for (int k = 2; k < def->ncoefficient; ++k) {
        if (def->coefficient[k] != 0) {
            return "URDF has linear ones only";
        }
    }
    const int dependent = find_single(w, def->dependent);
    if (dependent < 0 || find_single(w, def->source) < 0) {
        return "URDF couples revolute and prismatic joints only";
    }
    if (w->part[dependent].mimic >= 0) {
        return "that joint mimics another already";
    }
    w->part[dependent].mimic = index;
    return NULL;
}

static void find_mimics(lwi_urdf_writer *w)
{
    for (int i = 0; i < w->mech->coupling.count; ++i) {
        const lw_coupling_def *def = &w->mech->coupling.at[i];
        const char *why = why_not(w, def, i);
        char clip[LWI_CLIP_SIZE];
        if (why) {
            lwi_report_warning(w->report, def->location, LW_DIAG_LOST,
                               "lost: coupling of \"%s\", %s", lwi_clip(def->dependent, clip), why);
        }
    }
}

// --- The file ---------------------------------------------------------------------------------

static void report_gateways(const lwi_urdf_writer *w)
{
    for (int i = 0; i < w->mech->gateway.count; ++i) {
        char clip[LWI_CLIP_SIZE];
        lwi_report_warning(w->report, (lw_location){0}, LW_DIAG_LOST,
                           "lost: gateway \"%s\", URDF has none",
                           lwi_clip(w->mech->gateway.at[i].name, clip));
    }
}

static void report_gears(const lwi_urdf_writer *w)
{
    for (int i = 0; i < w->mech->gear.count; ++i) {
        const lw_gear_def *gear = &w->mech->gear.at[i];
        char clip[LWI_CLIP_SIZE];
        lwi_report_warning(w->report, gear->location, LW_DIAG_LOST,
                           "lost: gear \"%s\", URDF has none", lwi_clip(gear->name, clip));
    }
}

// Roles are many where there are any, so they are told together.
static void report_levels(const lwi_urdf_writer *w)
{
    const lw_mech *mech = w->mech;
    bool has_role = mech->level != LW_LEVEL_UNSET || mech->choice.count > 0;
    for (int i = 0; i < mech->part.count; ++i) {
        has_role = has_role || mech->part.at[i].role != LW_ROLE_BY_KIND;
    }
    if (has_role) {
        lwi_report_warning(w->report, (lw_location){0}, LW_DIAG_LOST,
                           "lost: roles of parts and levels of detail, URDF has none");
    }
}

static void write_parts(lwi_urdf_writer *w)
{
    const lw_mech *mech = w->mech;
    if (w->root) {
        lwi_text_add(w->out, "  <link");
        lwi_text_add_attr(w->out, "name", w->root);
        lwi_text_add(w->out, "/>\n");
    }
    for (int i = 0; i < mech->part.count; ++i) {
        if (w->part[i].is_kept && mech->part.at[i].kind == LW_PART_GROUND) {
            lwi_urdf_write_ground(w, i);
        }
    }
    for (int i = 0; i < mech->part.count; ++i) {
        if (w->part[i].is_kept && mech->part.at[i].kind == LW_PART_LINK) {
            lwi_urdf_write_link(w, i);
        }
    }
    for (int i = 0; i < mech->part.count; ++i) {
        if (w->part[i].is_kept && mech->part.at[i].kind == LW_PART_JOINT) {
            lwi_urdf_write_joint(w, i);
        }
    }
}

lw_status lwi_urdf_write(const lw_mech *mech, lwi_text *out, lw_report *report)
{
    lwi_urdf_writer w = {.mech = mech, .out = out, .report = report};
    lwi_names_init(&w.link_names, &w.arena);
    lwi_names_init(&w.joint_names, &w.arena);
    w.part = lwi_arena_take(&w.arena, (size_t)mech->part.count, sizeof *w.part);
    if (!w.part) {
        return LW_ERR_MEMORY;
    }
    lw_status status = LW_OK;
    if (find_root(mech) < 0) {
        status = lwi_report_error(report, (lw_location){0}, LW_ERR_UNSUPPORTED,
                                  "there is no link or joint that URDF can hold");
    } else {
        find_all_kept(&w);
        find_carriers(&w);
        name_all(&w);
        find_mimics(&w);
        report_gateways(&w);
        report_gears(&w);
        report_levels(&w);
        lwi_text_add(out, "<?xml version=\"1.0\"?>\n<robot");
        lwi_text_add_attr(out, "name", mech->name);
        lwi_text_add(out, ">\n");
        write_parts(&w);
        lwi_text_add(out, "</robot>\n");
        status = w.is_short ? LW_ERR_MEMORY : LW_OK;
    }
    lwi_arena_free(&w.arena);
    return status;
}
