#include "report/explain.h"

#include "support/numeral.h"

// --- JSON -------------------------------------------------------------------------------------

static json_t *parts_json(output *out, const lw_levels *levels, int assembly, bool is_locked)
{
    json_t *list = output_array(out);
    for (int i = 0; i < levels->npart; ++i) {
        const lw_simplified_part *part = &levels->part[i];
        if (part->assembly != assembly || part->is_locked != is_locked) {
            continue;
        }
        output_put(out, output_item(out, list),
                   "part s, kind s, carrier s, mass f, inertia f, slides o", part->name, part->kind,
                   part->carrier, part->mass, part->inertia, json_boolean(part->slides));
    }
    return list;
}

json_t *explain_levels_json(output *out, const lw_levels *levels)
{
    json_t *list = output_array(out);
    for (int i = 0; i < levels->nassembly; ++i) {
        const lw_assembly_level *assembly = &levels->assembly[i];
        output_put(out, output_item(out, list),
                   "assembly s, level s, transmission_parts d, mass f, mass_moved f, "
                   "mass_left_out f, locked o, left_out o",
                   assembly->name, lw_level_name(assembly->level), assembly->ntransmission,
                   assembly->mass, assembly->mass_moved, assembly->mass_left_out,
                   parts_json(out, levels, i, true), parts_json(out, levels, i, false));
    }
    return list;
}

// --- Text -------------------------------------------------------------------------------------

static void print_part(output *out, const lw_simplified_part *part)
{
    char number[NUMBER_SIZE];
    fprintf(out->text, "    %-8s  %s %s", part->is_locked ? "locked" : "left out", part->kind,
            part->name);
    if (*part->carrier) {
        fprintf(out->text, " on %s", part->carrier);
    }
    if (part->mass > 0) {
        fprintf(out->text, ", %s kg", number_text(part->mass, number));
    }
    if (part->inertia > 0) {
        fprintf(out->text, ", neglects %s %s its axis", number_text(part->inertia, number),
                part->slides ? "kg along" : "kg m^2 about");
    }
    fputc('\n', out->text);
}

void explain_levels_text(output *out, const lw_levels *levels)
{
    bool is_first = true;
    for (int i = 0; i < levels->nassembly; ++i) {
        const lw_assembly_level *assembly = &levels->assembly[i];
        char mass[NUMBER_SIZE], moved[NUMBER_SIZE], left[NUMBER_SIZE];
        if (assembly->ntransmission == 0 && assembly->level == LW_LEVEL_LOW) {
            continue;
        }
        fprintf(out->text, "%s  %s: %s", is_first ? "\nlevels\n" : "",
                i ? assembly->name : "the whole mechanism", lw_level_name(assembly->level));
        is_first = false;
        if (assembly->level == LW_LEVEL_LOW) {
            fprintf(out->text, "; all %d transmission parts, %s kg\n", assembly->ntransmission,
                    number_text(assembly->mass, mass));
            continue;
        }
        fprintf(out->text, "; of %d transmission parts, %s kg: %s kg moved, %s kg left out\n",
                assembly->ntransmission, number_text(assembly->mass, mass),
                number_text(assembly->mass_moved, moved),
                number_text(assembly->mass_left_out, left));
        for (int k = 0; k < levels->npart; ++k) {
            if (levels->part[k].assembly == i) {
                print_part(out, &levels->part[k]);
            }
        }
    }
}
