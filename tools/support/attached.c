#include "support/attached.h"

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

void attached_check(const robot *r, const command_line *args, lw_collide *c)
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
