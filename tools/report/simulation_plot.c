#include "report/simulation.h"

#include "draw/plot.h"
#include "report/units.h"
#include "support/message.h"
#include "support/numeral.h"

#include <math.h>
#include <string.h>

/// Columns of one kind, in the rows of each simulation.
typedef struct kind {
    const char *title;
    int unit;    ///< unit_of, or -1 where the title has it
    size_t skip; ///< characters of the prefix of their names
} kind;

enum { POSITIONS, VELOCITIES, FORCES, ERRORS, ENERGIES, KINDS };
static const kind kinds[KINDS] = {
    [POSITIONS] = {"position", UNIT_OF_POSITION, 2},
    [VELOCITIES] = {"velocity", UNIT_OF_VELOCITY, 2},
    [FORCES] = {"force of drives", UNIT_OF_FORCE, 4},
    [ERRORS] = {"error against the motion", UNIT_OF_POSITION, 6},
    [ENERGIES] = {"energy, potential from the start on, J", -1, 0},
};
enum { TITLE_SIZE = 80 };

static int first_column(const simulation *s, int k)
{
    const int first[KINDS] = {[POSITIONS] = s->ncolumn_q,
                              [VELOCITIES] = s->ncolumn_v,
                              [FORCES] = s->ncolumn_tau,
                              [ERRORS] = s->ncolumn_error,
                              [ENERGIES] = s->ncolumn_energy};
    return first[k];
}

static int column_count(const simulation *s, int k)
{
    const lw_model *m = s->robot->model;
    const bool has_forces = s->def.nsource > 0 || s->def.sampler;
    const int count[KINDS] = {[POSITIONS] = m->nq,
                              [VELOCITIES] = m->nv,
                              [FORCES] = has_forces ? m->nv : 0, // else all are zero
                              [ERRORS] = s->follows ? m->nv : 0,
                              [ENERGIES] = 4};
    return count[k];
}

// The title of a panel, with the unit that all mechanisms in it have, or both.
static void make_title(const simulation *sim, int count, int k, char title[TITLE_SIZE])
{
    if (kinds[k].unit < 0) {
        snprintf(title, TITLE_SIZE, "%s", kinds[k].title);
        return;
    }
    const unit_of what = (unit_of)kinds[k].unit;
    const char *unit = unit_of_all(sim[0].robot->model, what);
    for (int r = 1; r < count; ++r) { // the longer one is that of both
        const char *other = unit_of_all(sim[r].robot->model, what);
        unit = strlen(other) > strlen(unit) ? other : unit;
    }
    snprintf(title, TITLE_SIZE, "%s, %s", kinds[k].title, unit);
}

// Adds a curve to a panel. The first one of its label gives the colour of those after it.
static void add_curve(plot_panel *panel, int *ncolor, const char *label, plot_curve curve)
{
    const plot_curve *same = NULL;
    for (int i = 0; i < panel->ncurve && !same; ++i) {
        const plot_curve *c = &panel->curve[i];
        same = c->label && strcmp(c->label, label) == 0 ? c : NULL;
    }
    curve.color = same ? same->color : (*ncolor)++;
    curve.label = same ? NULL : label;
    panel->curve[panel->ncurve++] = curve;
}

// What the dashes represent, where there is more than one.
static plot_key *make_keys(const simulation *sim, int count)
{
    plot_key *key = memory_get(sim->pool, (size_t)count, sizeof *key);
    bool is_one_run = true; // the levels are enough
    for (int r = 0; r < count; ++r) {
        is_one_run = is_one_run && sim[r].levels && strcmp(sim[r].name, sim[0].name) == 0;
    }
    for (int r = 0; r < count; ++r) {
        key[r] = (plot_key){is_one_run ? sim[r].levels : sim[r].label, r};
    }
    return key;
}

static size_t curve_count(const simulation *sim, int count)
{
    size_t n = 1;
    for (int r = 0; r < count; ++r) {
        for (int k = 0; k < KINDS; ++k) {
            n += (size_t)column_count(&sim[r], k);
        }
    }
    return n;
}

// A copy of the rows in which the forces of motors behind elastic shafts are moved to the joints
// that these turn, as if the shafts were rigid: so levels with such motors and without can be
// overlaid. Where potential energy begins to count is arbitrary, and can be far from what moves: it
// begins at zero.
static double *values_to_plot(const simulation *s)
{
    double *value = memory_numbers(s->pool, s->rows.nrow, s->rows.ncolumn);
    memcpy(value, s->rows.value, (size_t)s->rows.nrow * (size_t)s->rows.ncolumn * sizeof *value);
    for (int i = 0; i < s->rows.nrow && s->shafts.nfollower > 0; ++i) {
        lw_shafts_gather(&s->shafts, value + (size_t)i * (size_t)s->rows.ncolumn + s->ncolumn_tau);
    }
    const double begin = s->rows.nrow > 0 ? s->rows.value[s->ncolumn_energy + 1] : 0.0;
    for (int i = 0; i < s->rows.nrow; ++i) {
        value[(size_t)i * (size_t)s->rows.ncolumn + (size_t)s->ncolumn_energy + 1] -= begin;
    }
    return value;
}

// Whether a column is that of a motor behind an elastic shaft.
static bool is_of_follower(const simulation *s, int column)
{
    if (column >= s->ncolumn_error) {
        return lw_shafts_follows(&s->shafts, column - s->ncolumn_error);
    }
    if (column >= s->ncolumn_energy) {
        return false;
    }
    if (column >= s->ncolumn_v) {
        return lw_shafts_follows(&s->shafts, (column - s->ncolumn_v) % s->robot->model->nv);
    }
    return lw_shafts_follows_at(&s->shafts, column - s->ncolumn_q);
}

// The mechanism, and the run if there is one alone.
static const char *make_head(const simulation *sim, int count)
{
    const bool is_one = count == 1 && *sim[0].label;
    return memory_text(sim->pool, "%s%s%s", sim[0].robot->model->name, is_one ? ", " : "",
                       is_one ? sim[0].label : "");
}

int plot_simulations(const simulation *sim, int count, const char *path)
{
    plot_curve *curve = memory_get(sim->pool, curve_count(sim, count), sizeof *curve);
    double **value = memory_get(sim->pool, (size_t)count, sizeof *value);
    plot_panel panel[KINDS] = {{0}};
    char title[KINDS][TITLE_SIZE];
    const plot_key *key = make_keys(sim, count);
    int used = 0, npanel = 0;
    for (int r = 0; r < count; ++r) {
        value[r] = values_to_plot(&sim[r]);
    }
    for (int k = 0; k < KINDS; ++k) {
        plot_panel *p = &panel[npanel];
        int ncolor = 0;
        make_title(sim, count, k, title[k]);
        *p = (plot_panel){title[k], 0, curve + used, count > 1 ? count : 0, key, false};
        for (int r = 0; r < count; ++r) {
            const table *rows = &sim[r].rows;
            for (int i = 0; i < column_count(&sim[r], k); ++i) {
                const int column = first_column(&sim[r], k) + i;
                if (is_of_follower(&sim[r], column)) {
                    continue;
                }
                add_curve(p, &ncolor, rows->name[column] + kinds[k].skip,
                          (plot_curve){.x = value[r],
                                       .y = value[r] + column,
                                       .count = rows->nrow,
                                       .stride = rows->ncolumn,
                                       .dash = r});
            }
        }
        used += p->ncurve;
        npanel += p->ncurve > 0;
    }
    return plot_write(path, make_head(sim, count), "time, s", panel, npanel);
}

// --- Spectra ----------------------------------------------------------------------------------

enum { MOST_SAMPLES = 8000 };

// Amplitudes of a signal of n values at equal times, at frequencies k / (n step): the mean is taken
// out, and a window of Hann keeps peaks narrow. Plain sums; n is some thousands.
static void find_spectrum(const double *signal, int stride, int n, double *out)
{
    double mean = 0.0;
    for (int i = 0; i < n; ++i) {
        mean += signal[(size_t)i * (size_t)stride] / n;
    }
    for (int k = 0; k <= n / 2; ++k) {
        double c = 0.0, s = 0.0;
        for (int i = 0; i < n; ++i) {
            const double window = 1.0 - cos(TWO_PI * i / n); // its mean is 1
            const double x = window * (signal[(size_t)i * (size_t)stride] - mean);
            const double angle = TWO_PI * fmod((double)i * k, n) / n;
            c += x * cos(angle);
            s += x * sin(angle);
        }
        out[k] = (k > 0 && 2 * k < n ? 2.0 : 1.0) * hypot(c, s) / n;
    }
}

// Samples of a simulation that count: the last row may be at an odd time.
static int sample_count(const simulation *s)
{
    return s->every > 0.0 ? s->rows.nrow - 1 : 0;
}

// Adds the spectra of all drives of one simulation to a panel.
static void add_spectra(const simulation *s, plot_panel *panel, int *ncolor, int dash)
{
    const lw_model *m = s->robot->model;
    const int n = sample_count(s), half = n / 2 + 1;
    double *frequency = memory_numbers(s->pool, half, 1), *value = values_to_plot(s);
    for (int k = 0; k < half; ++k) {
        frequency[k] = k / (n * s->every);
    }
    for (int k = 0; k < m->nv; ++k) {
        if (lw_shafts_follows(&s->shafts, k)) {
            continue;
        }
        double *out = memory_numbers(s->pool, half, 1);
        find_spectrum(value + s->ncolumn_tau + k, s->rows.ncolumn, n, out);
        add_curve(panel, ncolor, m->velocity_name[k],
                  (plot_curve){.x = frequency, .y = out, .count = half, .stride = 1, .dash = dash});
    }
}

int plot_spectra(const simulation *sim, int count, const char *path)
{
    for (int r = 0; r < count; ++r) {
        if (sample_count(&sim[r]) < 4 || sample_count(&sim[r]) > MOST_SAMPLES) {
            return complain(EXIT_USAGE, "--spectrum needs rows at equal times, 5 to %d of them",
                            MOST_SAMPLES);
        }
    }
    plot_curve *curve = memory_get(sim->pool, curve_count(sim, count), sizeof *curve);
    plot_panel panel = {memory_text(sim->pool, "amplitude of drive forces, %s",
                                    unit_of_all(sim[0].robot->model, UNIT_OF_FORCE)),
                        0,
                        curve,
                        count > 1 ? count : 0,
                        make_keys(sim, count),
                        true};
    int ncolor = 0;
    for (int r = 0; r < count; ++r) {
        add_spectra(&sim[r], &panel, &ncolor, r);
    }
    return plot_write(path, make_head(sim, count), "frequency, Hz", &panel, 1);
}
