// The level of detail of every assembly. What the options of the compile say comes before
// what descriptions say, and what an outer description has before what an inner one has; among
// equals the nearest counts. Instances stand in the order of their depth, so one walk hands levels
// inward.
#include "build.h"

#include "../base/report.h"

#include <limits.h>
#include <string.h>

// The instances by their prefix, and what choices by name say of each.
typedef struct chosen {
    lw_level level;
    int rank;
} chosen;

typedef struct choices {
    lwi_names prefix;
    chosen *at; ///< [ninstance]
} choices;

static const chosen nothing = {LW_LEVEL_UNSET, INT_MAX};

static bool index_instances(lwi_build *b, choices *c)
{
    lwi_names_init(&c->prefix, b->arena);
    c->at = lwi_arena_take(b->arena, (size_t)b->ninstance, sizeof *c->at);
    bool is_there = c->at && lwi_names_reserve(&c->prefix, (size_t)b->ninstance);
    for (int i = 0; i < b->ninstance && is_there; ++i) {
        c->at[i] = nothing;
        const char *prefix = b->instance[i].prefix;
        is_there = lwi_names_find(&c->prefix, prefix) >= 0 || lwi_names_add(&c->prefix, prefix, i);
    }
    return is_there;
}

// The instance of an assembly by its name within another instance, or -1.
static int find_instance(const lwi_build *b, const choices *c, int within, const char *name)
{
    char key[2 * LWI_NAME_LIMIT + 2];
    const char *prefix = b->instance[within].prefix;
    const size_t np = strlen(prefix), nn = strlen(name);
    if (np > LWI_NAME_LIMIT || nn > LWI_NAME_LIMIT) {
        return -1;
    }
    memcpy(key, prefix, np);
    memcpy(key + np, name, nn);
    memcpy(key + np + nn, "/", 2);
    return lwi_names_find(&c->prefix, key);
}

static void report_unknown(lwi_build *b, int within, const char *name, lw_location location,
                           lw_status status)
{
    char offered[LWI_NAME_LIMIT + 1], best[LWI_NAME_LIMIT + 1] = "";
    const size_t np = strlen(b->instance[within].prefix);
    lw_nearest nearest;
    lw_nearest_init(&nearest, name);
    const bool is_wanted = b->suggestions++ < LWI_SUGGESTIONS;
    for (int i = 1; i < b->ninstance && is_wanted; ++i) {
        const char *prefix = b->instance[i].prefix;
        const size_t n = strlen(prefix);
        if (n <= np + 1 || n > LWI_NAME_LIMIT ||
            strncmp(prefix, b->instance[within].prefix, np) != 0) {
            continue;
        }
        memcpy(offered, prefix + np, n - np - 1);
        offered[n - np - 1] = '\0';
        nearest.best = nearest.best ? best : NULL;
        lw_nearest_offer(&nearest, offered);
        if (nearest.best == offered) {
            memcpy(best, offered, n - np);
            nearest.best = best;
        }
    }
    lwi_report_error(b->report, location, status, "there is no assembly \"%s\"%s%s%s%s", name,
                     nearest.best ? "; did you mean \"" : "", nearest.best ? nearest.best : "",
                     nearest.best ? "\"?" : "",
                     b->ninstance == 1 ? ": this mechanism has none, and \"*\" is all of it" : "");
}

static void choose(choices *c, int instance, lw_level level, int rank)
{
    if (rank <= c->at[instance].rank) {
        c->at[instance] = (chosen){level, rank};
    }
}

static void read_options(lwi_build *b, choices *c)
{
    const lw_location nowhere = {0};
    if (b->options.nlevel < 0 || (b->options.nlevel > 0 && !b->options.level)) {
        lwi_report_error(b->report, nowhere, LW_ERR_ARGUMENT,
                         "options count levels but have no list of them");
        return;
    }
    for (int k = 0; k < b->options.nlevel; ++k) {
        const lw_level_choice *choice = &b->options.level[k];
        if (!choice->assembly || choice->level < LW_LEVEL_HIGH || choice->level > LW_LEVEL_LOW) {
            lwi_report_error(b->report, nowhere, LW_ERR_ARGUMENT,
                             "a level is high, middle or low, and is that of an assembly");
            continue;
        }
        const int i =
            strcmp(choice->assembly, "*") == 0 ? 0 : find_instance(b, c, 0, choice->assembly);
        if (i < 0) {
            report_unknown(b, 0, choice->assembly, nowhere, LW_ERR_ARGUMENT);
        } else {
            choose(c, i, choice->level, 0);
        }
    }
}

static void read_descriptions(lwi_build *b, choices *c)
{
    for (int p = 0; p < b->ninstance; ++p) {
        const lw_mech *mech = b->instance[p].mech;
        for (int k = 0; k < mech->choice.count; ++k) {
            const lwi_level_choice *choice = &mech->choice.at[k];
            const int i = find_instance(b, c, p, choice->assembly);
            if (i < 0) {
                report_unknown(b, p, choice->assembly, choice->location, LW_ERR_NAME);
            } else if (choice->level != LW_LEVEL_UNSET) {
                choose(c, i, choice->level, 1 + b->instance[p].depth);
            }
        }
    }
}

static void take(lwi_instance *instance, lw_level level, int rank)
{
    if (level != LW_LEVEL_UNSET && rank <= instance->level_rank) {
        instance->level = level;
        instance->level_rank = rank;
    }
}

lw_status lwi_pass_levels(lwi_build *b)
{
    choices c = {.at = NULL};
    if (!index_instances(b, &c)) {
        return lwi_build_no_memory(b);
    }
    read_descriptions(b, &c);
    read_options(b, &c);
    for (int i = 0; i < b->ninstance; ++i) {
        lwi_instance *instance = &b->instance[i];
        instance->level = LW_LEVEL_LOW;
        instance->level_rank = INT_MAX;
        if (instance->parent >= 0) {
            const lwi_instance *outer = &b->instance[instance->parent];
            const lwi_part *part = &outer->mech->part.at[b->flat[instance->flat].part];
            instance->level = outer->level;
            instance->level_rank = outer->level_rank;
            instance->role = part->role ? part->role : outer->role;
            take(instance, instance->mech->level, 1 + instance->depth);
            take(instance, part->level, 1 + outer->depth);
        } else {
            take(instance, instance->mech->level, 1);
        }
        take(instance, c.at[i].level, c.at[i].rank);
    }
    return LW_OK;
}
