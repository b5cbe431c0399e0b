#include "report/compare.h"

#include "draw/plot.h"
#include "report/units.h"
#include "support/message.h"
#include "support/numeral.h"

#include <stddef.h>
#include <stdio.h>

const variant *compare_yardstick(const comparison *c)
{
    return &c->at[c->count - 1];
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
        output_put(out, output_item(out, levels),
                   "levels s, nbody d, mass f, following o, ns f, peak o, largest o, "
                   "rms o, inertia o, tau o",
                   one->spec, one->m->nbody, one->m->mass, followers_json(out, one), one->ns,
                   output_numbers(out, one->peak, c->nv), output_numbers(out, one->largest, c->nv),
                   output_numbers(out, one->rms, c->nv), output_numbers(out, one->inertia, c->nv),
                   output_matrix(out, one->tau, c->samples, c->nv));
    }
    out->json = output_object(out);
    output_put(out, out->json, "names o, against s, samples d, duration f, compared o",
               output_names(out, c->name, c->nv), compare_yardstick(c)->spec, c->samples,
               c->duration, levels);
}

// A table of one number per joint and choice, which `field` is the offset of.
static void print_table(output *out, const comparison *c, const char *title, size_t field,
                        int columns, unit_of what)
{
    const lw_model *m = c->guide->m;
    const char *head[MOST_LEVELS];
    double *value = memory_numbers(c->pool, c->nv, columns);
    int *tree_v = memory_get(c->pool, (size_t)c->nv, sizeof *tree_v);
    for (int k = 0; k < c->nv; ++k) {
        tree_v[k] = m->v_tree[c->dof[k]];
        for (int i = 0; i < columns; ++i) {
            const double *const *own = (const double *const *)((const char *)&c->at[i] + field);
            head[i] = c->at[i].spec;
            value[k * columns + i] = (*own)[k];
        }
    }
    if (columns > 0) {
        fprintf(out->text, "\n%s\n", title);
        output_unit_table(out, "joint", c->name, c->nv, head, columns, value, NULL,
                          unit_list(c->pool, m, tree_v, c->nv, what));
    }
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

void compare_text(output *out, const comparison *c)
{
    char title[160];
    char number[NUMBER_SIZE];
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
    fprintf(out->text, "%8s %12s %16s %10s\n", "bodies", "mass, kg", "ns per point", "ratio");
    for (int i = 0; i < c->count; ++i) {
        output_name(out, c->at[i].spec, width);
        fprintf(out->text, "%8d %12.6g %16.1f %10.2f\n", c->at[i].m->nbody, c->at[i].m->mass,
                c->at[i].ns, c->at[i].ns / c->at[0].ns);
    }
    print_followers(out, c);
    print_table(out, c, "largest force or torque", offsetof(variant, peak), c->count,
                UNIT_OF_FORCE);
    snprintf(title, sizeof title, "largest difference from %.100s", compare_yardstick(c)->spec);
    print_table(out, c, title, offsetof(variant, largest), c->count - 1, UNIT_OF_FORCE);
    snprintf(title, sizeof title, "root mean square of the difference from %.100s",
             compare_yardstick(c)->spec);
    print_table(out, c, title, offsetof(variant, rms), c->count - 1, UNIT_OF_FORCE);
    print_table(out, c, "inertia at the first point", offsetof(variant, inertia), c->count,
                UNIT_OF_INERTIA);
    if (c->count > 1 && !makes_difference(c)) {
        fputs("\nThe levels make no difference here: this model has no transmission parts that "
              "they would\nlock or leave out.\n",
              out->text);
    }
}

int compare_plot(const comparison *c, const char *path)
{
    const lw_model *m = c->guide->m;
    const size_t n = (size_t)c->nv;
    plot_curve *curve = memory_get(c->pool, n * (size_t)c->count, sizeof *curve);
    plot_panel *panel = memory_get(c->pool, n, sizeof *panel);
    double *x = memory_numbers(c->pool, c->samples, c->nv); // as wide as the torques: one stride
    for (int i = 0; i < c->samples; ++i) {
        x[i * c->nv] = c->duration > 0 ? c->duration * i / (c->samples - 1) : i + 1;
    }
    for (int k = 0; k < c->nv; ++k) {
        const char *unit = unit_slides(m, m->v_tree[c->dof[k]]) ? "N" : "N m";
        panel[k] = (plot_panel){.title = memory_text(c->pool, "%.90s, %s", c->name[k], unit),
                                .ncurve = c->count,
                                .curve = curve + k * c->count};
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
    return plot_write(path, m->name, c->duration > 0 ? "time, s" : "point", panel, c->nv);
}
