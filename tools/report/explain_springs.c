// Springs and torsions, in words and numbers.
#include "report/explain.h"
#include "support/numeral.h"

static const char *end_name(const lw_model *m, const lw_spring_info *spring, int side)
{
    if (!spring->is_torsion) {
        return explain_body_name(m, spring->body[side]);
    }
    return spring->dof[side] < 0 ? "rest" : m->tree_velocity_name[spring->dof[side]];
}

static const char *side_name(lw_spring_side side)
{
    static const char *const name[] = {"both", "tension", "compression"};
    return name[side];
}

static json_t *spring_json(output *out, const lw_model *m, const lw_spring_info *spring)
{
    json_t *item = output_object(out), *ends = output_array(out);
    output_put(out, item, "name s, kind s", spring->name,
               spring->is_torsion ? "torsion" : "spring");
    for (int side = 0; side < 2; ++side) {
        output_append(out, ends, output_text(out, end_name(m, spring, side)));
    }
    output_set(out, item, "between", ends);
    const bool is_table = spring->law == LW_LAW_TABLE;
    const int n = is_table ? spring->ncoefficient / 3 : spring->ncoefficient;
    if (is_table) {
        output_put(out, item, "stretch o, force o", output_numbers(out, spring->coefficient, n),
                   output_numbers(out, spring->coefficient + n, n));
    } else {
        output_set(out, item, "polynomial", output_numbers(out, spring->coefficient, n));
    }
    output_put(out, item, "preload f, free f, damping f, backlash f, loss f, side s, along s",
               spring->preload, spring->free, spring->damping, spring->backlash, spring->loss,
               side_name(spring->side), spring->along == LW_SPRING_NORMAL ? "normal" : "line");
    return item;
}

void explain_springs_json(output *out, const lw_model *m)
{
    if (m->nspring == 0) {
        return;
    }
    json_t *list = output_array(out);
    for (int k = 0; k < m->nspring; ++k) {
        output_append(out, list, spring_json(out, m, &m->spring[k]));
    }
    output_set(out, out->json, "springs", list);
}

static void print_law(FILE *file, const lw_spring_info *spring)
{
    char text[NUMBER_SIZE];
    const char *per = spring->is_torsion ? "N m/rad" : "N/m";
    const double *c = spring->coefficient;
    if (spring->law == LW_LAW_TABLE) {
        fprintf(file, "a table of %d points", spring->ncoefficient / 3);
    } else if (spring->ncoefficient == 2 && c[0] == 0.0) {
        fprintf(file, "%s %s", number_text(c[1], text), per);
    } else if (spring->ncoefficient > 0) {
        fprintf(file, "a polynomial of degree %d", spring->ncoefficient - 1);
    } else {
        fputs("no stiffness", file);
    }
}

static void print_amount(FILE *file, const char *word, double value, const char *unit)
{
    char text[NUMBER_SIZE];
    if (value != 0.0) {
        fprintf(file, ", %s %s%s", word, number_text(value, text), unit);
    }
}

void explain_springs_text(output *out, const lw_model *m)
{
    int widest = 0;
    for (int k = 0; k < m->nspring; ++k) {
        const int width = output_width(m->spring[k].name);
        widest = width > widest ? width : widest;
    }
    fputs(m->nspring > 0 ? "\nsprings\n" : "", out->text);
    for (int k = 0; k < m->nspring; ++k) {
        const lw_spring_info *spring = &m->spring[k];
        const bool turns = spring->is_torsion;
        char text[NUMBER_SIZE];
        fputs("  ", out->text);
        output_name(out, spring->name, widest + 2);
        const bool is_plane = spring->along == LW_SPRING_NORMAL;
        fprintf(out->text, "between %s%s and %s: ", is_plane ? "a plane of " : "",
                end_name(m, spring, 0), end_name(m, spring, 1));
        print_law(out->text, spring);
        fprintf(out->text, ", free at %s%s", number_text(spring->free, text),
                turns ? " rad" : " m");
        print_amount(out->text, "preload", spring->preload, turns ? " N m" : " N");
        print_amount(out->text, "damping", spring->damping, turns ? " N m s/rad" : " N s/m");
        print_amount(out->text, "backlash", spring->backlash, turns ? " rad" : " m");
        print_amount(out->text, "loss", spring->loss, "");
        fprintf(out->text, "%s%s%s\n", spring->side == LW_SPRING_BOTH ? "" : ", in ",
                spring->side == LW_SPRING_BOTH ? "" : side_name(spring->side),
                spring->side == LW_SPRING_BOTH ? "" : " only");
    }
}
