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
        json_t *item = output_object(out);
        output_set(out, item, "part", output_text(out, part->name));
        output_set(out, item, "kind", output_text(out, part->kind));
        output_set(out, item, "carrier", output_text(out, part->carrier));
        output_set(out, item, "mass", output_number(out, part->mass));
        output_set(out, item, "inertia", output_number(out, part->inertia));
        output_set(out, item, "slides", json_boolean(part->slides));
        output_append(out, list, item);
    }
    return list;
}

json_t *explain_levels_json(output *out, const lw_levels *levels)
{
    json_t *list = output_array(out);
    for (int i = 0; i < levels->nassembly; ++i) {
        const lw_assembly_level *assembly = &levels->assembly[i];
        json_t *item = output_object(out);
        output_set(out, item, "assembly", output_text(out, assembly->name));
        output_set(out, item, "level", output_text(out, lw_level_name(assembly->level)));
        output_set(out, item, "transmission_parts", json_integer(assembly->ntransmission));
        output_set(out, item, "mass", output_number(out, assembly->mass));
        output_set(out, item, "mass_moved", output_number(out, assembly->mass_moved));
        output_set(out, item, "mass_left_out", output_number(out, assembly->mass_left_out));
        output_set(out, item, "locked", parts_json(out, levels, i, true));
        output_set(out, item, "left_out", parts_json(out, levels, i, false));
        output_append(out, list, item);
    }
    return list;
}

// --- Text -------------------------------------------------------------------------------------

static void print_part(output *out, const lw_simplified_part *part)
{
    char number[NUMBER_ROOM];
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
        char mass[NUMBER_ROOM], moved[NUMBER_ROOM], left[NUMBER_ROOM];
        if (assembly->ntransmission == 0 && assembly->level == LW_LEVEL_LOW) {
            continue;
        }
        fprintf(out->text, "%s  %s: %s", is_first ? "\nlevels\n" : "",
                i ? assembly->name : "the machine itself", lw_level_name(assembly->level));
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
