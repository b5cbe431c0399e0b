// Drives: inertia, limits and curves.
#include "report/explain.h"
#include "support/numeral.h"

#include <math.h>
#include <string.h>

json_t *explain_drive_json(output *out, const lw_drive_info *drive)
{
    json_t *item = output_object(out);
    output_put(out, item,
               "name s, index f, inertia f, max_force g, max_velocity g, stall_force g, "
               "no_load_velocity g, continuous_force g",
               drive->name, (double)drive->dof, drive->inertia, drive->max_force,
               drive->max_velocity, drive->stall_force, drive->no_load_velocity,
               drive->continuous_force);
    if (drive->ncurve > 0) {
        output_set(out, item, "curve", output_numbers(out, drive->curve, drive->ncurve));
    }
    return item;
}

// A drive's inertia, limits and curve.
static void print_drive(FILE *file, const lw_model *m, const lw_drive_info *drive)
{
    char text[NUMBER_SIZE];
    fprintf(file, "rotor %s kg m^2", number_text(drive->inertia, text));
    if (isfinite(drive->max_force)) {
        fprintf(file, ", at most %s N m", number_text(drive->max_force, text));
    }
    if (isfinite(drive->max_velocity)) {
        fprintf(file, ", at most %s rad/s", number_text(drive->max_velocity, text));
    }
    if (isfinite(drive->stall_force)) {
        fprintf(file, ", from %s N m at rest", number_text(drive->stall_force, text));
        fprintf(file, " to none at %s rad/s", number_text(drive->no_load_velocity, text));
    }
    if (drive->ncurve > 0) {
        fprintf(file, ", a curve of %d points", drive->ncurve / 2);
    }
    if (isfinite(drive->continuous_force)) {
        fprintf(file, ", continuous %s N m", number_text(drive->continuous_force, text));
    }
    if (strcmp(drive->name, m->tree_velocity_name[drive->dof]) != 0) { // no shaft of its own
        fprintf(file, ", drives %s", m->tree_velocity_name[drive->dof]);
    }
}

void explain_drives_text(output *out, const lw_model *m)
{
    int widest = 0;
    for (int i = 0; i < m->ndrive; ++i) {
        widest = output_width(m->drive[i].name) > widest ? output_width(m->drive[i].name) : widest;
    }
    fputs(m->ndrive > 0 ? "\ndrives\n" : "", out->text);
    for (int i = 0; i < m->ndrive; ++i) {
        fputs("  ", out->text);
        output_name(out, m->drive[i].name, widest + 2);
        print_drive(out->text, m, &m->drive[i]);
        fputc('\n', out->text);
    }
}
