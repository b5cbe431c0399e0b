#include "support/link_pairs.h"

#include "support/message.h"

#include <linkwork/io.h>
#include <linkwork/kinematics.h>

#include <string.h>

// Whether the name of a link begins with that of one of the last assemblies.
static bool is_attached(const robot *r, int count, const char *link)
{
    for (int i = lw_get_part_count(r->mech) - 1; i >= 0 && count > 0; --i) { // they were added last
        const lw_part part = {i};
        if (lw_get_part_kind(r->mech, part) == LW_PART_ASSEMBLY) {
            const char *name = lw_get_part_name(r->mech, part);
            const size_t length = strlen(name);
            if (strncmp(link, name, length) == 0 && link[length] == '/') {
                return true;
            }
            --count;
        }
    }
    return false;
}

static void check_attached(const robot *r, const command_line *args, lw_collide *c)
{
    const int count = args_count(args, OPT_SCENE) + args_count(args, OPT_ATTACH);
    const lw_collide_info *info = lw_collide_describe(c);
    for (int i = 0; i < info->npair && count > 0; ++i) {
        const lw_collide_pair *pair = &info->pair[i];
        const char *a = r->model->frame[pair->frame[0]].name;
        const char *b = r->model->frame[pair->frame[1]].name;
        if (pair->reason == LW_PAIR_ADJACENT &&
            is_attached(r, count, a) != is_attached(r, count, b)) {
            lw_collide_allow(c, i, false);
        }
    }
}

// --- SRDF ---------------------------------------------------------------------------------------

static bool has_link(const lw_model *m, const char *name)
{
    for (int i = 0; i < m->nlink; ++i) {
        if (strcmp(m->link[i].name, name) == 0) {
            return true;
        }
    }
    return lw_find_frame(m, name) >= 0;
}

static void report_unknown(const robot *r, const lw_disabled_pair *disabled, const char *name)
{
    lw_nearest near;
    char suggestion[SUGGEST_SIZE];
    lw_nearest_init(&near, name);
    for (int i = 0; i < r->model->nlink; ++i) {
        lw_nearest_offer(&near, r->model->link[i].name);
    }
    lw_report_add(r->report, LW_WARNING, LW_OK, LW_DIAG_UNUSED_ELEMENT, disabled->location,
                  "<disable_collisions> is not used: there is no link \"%s\"%s", name,
                  suggest_text(&near, suggestion));
}

// Links without shapes make no pair, and need not be left out.
static void leave_out(const robot *r, memory *pool, lw_collide *c, const lw_disabled_pair *disabled,
                      const char **declared)
{
    const lw_collide_info *info = lw_collide_describe(c);
    for (int side = 0; side < 2; ++side) {
        if (!has_link(r->model, disabled->link[side])) {
            report_unknown(r, disabled, disabled->link[side]);
        }
    }
    for (int i = 0; i < info->npair; ++i) {
        const char *a = r->model->frame[info->pair[i].frame[0]].name;
        const char *b = r->model->frame[info->pair[i].frame[1]].name;
        const bool is_meant =
            (strcmp(a, disabled->link[0]) == 0 && strcmp(b, disabled->link[1]) == 0) ||
            (strcmp(b, disabled->link[0]) == 0 && strcmp(a, disabled->link[1]) == 0);
        if (is_meant && info->pair[i].reason == LW_PAIR_CHECKED) {
            lw_collide_allow(c, i, true);
            if (declared) {
                declared[i] = memory_text(pool, "%s", disabled->reason);
            }
        }
    }
}

int link_pairs_choose(const robot *r, const command_line *args, lw_collide *c,
                      const char **declared)
{
    const char *path = args_value(args, OPT_SRDF);
    lw_srdf *srdf = NULL;
    check_attached(r, args, c);
    if (!path) {
        return EXIT_GOOD;
    }
    const int first = lw_report_count(r->report);
    const lw_status status = lw_srdf_load(path, &srdf, r->report);
    for (int i = 0; status == LW_OK && i < srdf->npair; ++i) {
        leave_out(r, args->pool, c, &srdf->pair[i], declared);
    }
    print_diagnostics(r->report, first);
    lw_srdf_destroy(srdf);
    return status == LW_OK ? EXIT_GOOD : status == LW_ERR_FILE ? EXIT_FILE : EXIT_INPUT;
}
