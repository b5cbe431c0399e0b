#include "report/compare.h"

#include "draw/plot.h"
#include "report/units.h"
#include "support/message.h"
#include "support/numeral.h"

#include <stdlib.h>

const variant *compare_yardstick(const comparison *c)
{
    return &c->at[c->count - 1];
}

int compare_no_memory(void)
{
    return complain(EXIT_FILE, "%s", lw_status_text(LW_ERR_MEMORY));
}

double *compare_numbers(int rows, int columns)
{
    return calloc((size_t)rows * (size_t)columns + 1, sizeof(double));
}

// The degrees of freedom behind elastic shafts of one choice.
static json_t *followers_json(output *out, const variant *one)
{
    json_t *list = output_array(out);
    for (int k = 0; k < one->m->nv; ++k) {
        if (lw_shafts_follows(&one->shafts, k)) {
            output_append(out, list, output_text(out, one->m->velocity_name[k]));
        }
    }
    return list;
}

void compare_json(output *out, const comparison *c)
{
    json_t *levels = output_array(out);
    for (int i = 0; i < c->count; ++i) {
        const variant *one = &c->at[i];
        json_t *item = output_object(out);
        output_set(out, item, "levels", output_text(out, one->spec));
        output_set(out, item, "nbody", json_integer(one->m->nbody));
        output_set(out, item, "mass", output_number(out, one->m->mass));
        output_set(out, item, "following", followers_json(out, one));
        output_set(out, item, "ns", output_number(out, one->ns));
        output_set(out, item, "peak", output_numbers(out, one->peak, c->nv));
        output_set(out, item, "largest", output_numbers(out, one->largest, c->nv));
        output_set(out, item, "rms", output_numbers(out, one->rms, c->nv));
        output_set(out, item, "inertia", output_numbers(out, one->inertia, c->nv));
        output_set(out, item, "tau", output_matrix(out, one->tau, c->samples, c->nv));
        output_append(out, levels, item);
    }
    out->json = output_object(out);
    output_set(out, out->json, "names", output_names(out, c->name, c->nv));
    output_set(out, out->json, "against", output_text(out, compare_yardstick(c)->spec));
    output_set(out, out->json, "samples", json_integer(c->samples));
    output_set(out, out->json, "duration", output_number(out, c->duration));
    output_set(out, out->json, "compared", levels);
}

// Units of the common joints; null where memory is short.
static const char **list_units(const comparison *c, unit_of what)
{
    const lw_model *m = c->guide->m;
    int *tree_v = calloc((size_t)c->nv + 1, sizeof *tree_v);
    for (int k = 0; k < c->nv && tree_v; ++k) {
        tree_v[k] = m->v_tree[c->dof[k]];
    }
    const char **unit = tree_v ? unit_list(m, tree_v, c->nv, what) : NULL;
    free(tree_v);
    return unit;
}

static bool print_table(output *out, const comparison *c, const char *title, size_t field,
                        int columns, unit_of what)
{
    const char *head[MOST_LEVELS];
    double *value = compare_numbers(c->nv, columns);
    for (int i = 0; i < columns && value; ++i) {
        const double *const *own = (const double *const *)((const char *)&c->at[i] + field);
        head[i] = c->at[i].spec;
        for (int k = 0; k < c->nv; ++k) {
            value[k * columns + i] = (*own)[k];
        }
    }
    const char **unit = list_units(c, what);
    const bool is_good = value && unit;
    if (is_good && columns > 0) {
        fprintf(out->text, "\n%s\n", title);
        output_unit_table(out, "joint", c->name, c->nv, head, columns, value, NULL, unit);
    }
    free(unit);
    free(value);
    return is_good;
}

// What only some choices have: motors that their joints do not determine.
static void print_followers(output *out, const comparison *c)
{
    bool is_first = true;
    for (int i = 0; i < c->count; ++i) {
        const variant *one = &c->at[i];
        const char *between = " ";
        if (one->shafts.nfollower == 0) {
            continue;
        }
        fputs(is_first ? "\nbehind elastic shafts, taken as rigid along the motion\n" : "",
              out->text);
        is_first = false;
        output_name(out, one->spec, output_width(one->spec));
        for (int k = 0; k < one->m->nv; ++k) {
            if (lw_shafts_follows(&one->shafts, k)) {
                fprintf(out->text, "%s%s", between, one->m->velocity_name[k]);
                between = ", ";
            }
        }
        fputc('\n', out->text);
    }
}

static bool makes_difference(const comparison *c)
{
    const variant *last = compare_yardstick(c);
    for (int i = 0; i < c->count; ++i) {
        if (c->at[i].m->nbody != last->m->nbody || c->at[i].m->mass != last->m->mass) {
            return true;
        }
        for (int k = 0; k < c->nv; ++k) {
            if (c->at[i].largest[k] != 0.0) {
                return true;
            }
        }
    }
    return false;
}

bool compare_text(output *out, const comparison *c)
{
    char title[160];
    char number[NUMBER_ROOM];
    int width = 6;
    for (int i = 0; i < c->count; ++i) {
        const int own = output_width(c->at[i].spec);
        width = own > width ? own : width;
    }
    fprintf(out->text, "%s: %d points", compare_yardstick(c)->m->name, c->samples);
    if (c->duration > 0) {
        fprintf(out->text, " of a motion of %s s", number_text(c->duration, number));
    }
    fputs("\n\n", out->text);
    output_name(out, "levels", width);
    fprintf(out->text, "%8s %12s %16s %10s\n", "bodies", "mass, kg", "ns a point", "ratio");
    for (int i = 0; i < c->count; ++i) {
        output_name(out, c->at[i].spec, width);
        fprintf(out->text, "%8d %12.6g %16.1f %10.2f\n", c->at[i].m->nbody, c->at[i].m->mass,
                c->at[i].ns, c->at[i].ns / c->at[0].ns);
    }
    print_followers(out, c);
    bool is_good = print_table(out, c, "largest force or torque", offsetof(variant, peak), c->count,
                               UNIT_OF_FORCE);
    snprintf(title, sizeof title, "largest difference from %.100s", compare_yardstick(c)->spec);
    is_good = is_good &&
              print_table(out, c, title, offsetof(variant, largest), c->count - 1, UNIT_OF_FORCE);
    snprintf(title, sizeof title, "root mean square of the difference from %.100s",
             compare_yardstick(c)->spec);
    is_good =
        is_good && print_table(out, c, title, offsetof(variant, rms), c->count - 1, UNIT_OF_FORCE);
    is_good = is_good && print_table(out, c, "inertia at the first point",
                                     offsetof(variant, inertia), c->count, UNIT_OF_INERTIA);
    if (c->count > 1 && !makes_difference(c)) {
        fputs(
            "\nThe levels make no difference here: this machine has no parts of a transmission that"
            " they would\nlock or leave out.\n",
            out->text);
    }
    return is_good;
}

int compare_plot(const comparison *c, const char *path)
{
    const lw_model *m = c->guide->m;
    const size_t n = (size_t)c->nv;
    plot_curve *curve = calloc(n * (size_t)c->count + 1, sizeof *curve);
    plot_panel *panel = calloc(n + 1, sizeof *panel);
    char(*title)[120] = calloc(n + 1, sizeof *title);
    double *x =
        compare_numbers(c->samples, c->nv); // as wide as the torques, since curves have one stride
    int code = EXIT_FILE;
    if (!curve || !panel || !title || !x) {
        compare_no_memory();
        goto done;
    }
    for (int i = 0; i < c->samples; ++i) {
        x[i * c->nv] = c->duration > 0 ? c->duration * i / (c->samples - 1) : i + 1;
    }
    for (int k = 0; k < c->nv; ++k) {
        snprintf(title[k], sizeof title[k], "%.90s, %s", c->name[k],
                 unit_slides(m, m->v_tree[c->dof[k]]) ? "N" : "N m");
        panel[k] =
            (plot_panel){.title = title[k], .ncurve = c->count, .curve = curve + k * c->count};
        for (int i = 0; i < c->count; ++i) {
            panel[k].curve[i] = (plot_curve){.x = x,
                                             .y = c->at[i].tau + k,
                                             .count = c->samples,
                                             .stride = c->nv,
                                             .label = c->at[i].spec,
                                             .color = i,
                                             .dash = i};
        }
    }
    code = plot_write(path, m->name, c->duration > 0 ? "time, s" : "point", panel, c->nv);
done:
    free(curve);
    free(panel);
    free(title);
    free(x);
    return code;
}
