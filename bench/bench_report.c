// The report: one table for each machine, the goals beside what was reached, growth with the number
// of joints, and how it was measured.
#include "results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/// A ratio that was set as a goal before anything was measured.
typedef struct bench_goal {
    const char *which;    ///< case
    const char *function; ///< of linkwork
    const char *engine;   ///< that is compared with; "linkwork" for a yardstick or an own function
    const char *other;    ///< function of that engine
    bool is_limit;        ///< linkwork / other at most, else other / linkwork at least
    double ratio;
    const char *beside; ///< case of the other; null: the same
} bench_goal;

#define PALLETISER "models/closed/palletiser.xml"
#define FOUR_BAR "models/closed/four_bar.xml"

static const bench_goal goals[] = {
    {"ur5", "poses", "kdl", "poses", false, 3.5, NULL},
    {"ur5", "jacobian", "kdl", "jacobian", false, 6.5, NULL},
    {"ur5", "jacobian", "mujoco", "jacobian", false, 4.8, NULL},
    {"ur5", "inverse_dynamics", "kdl", "inverse_dynamics", false, 5.5, NULL},
    {"ur5", "inverse_dynamics", "mujoco", "inverse_dynamics", false, 5.5, NULL},
    {"ur5", "inverse_dynamics", "linkwork", "hand", true, 1.25, NULL},
    {"ur5", "inverse_dynamics", "linkwork", "hand_avx2", true, 1.25, NULL},
    {"ur5", "mass_matrix", "kdl", "mass_matrix", false, 7.5, NULL},
    {"ur5", "mass_matrix", "mujoco", "mass_matrix", false, 4.0, NULL},
    {"ur5", "forward_dynamics", "mujoco", "forward_dynamics", false, 2.8, NULL},
    {"ur5", "inverse_derivatives", "linkwork", "inverse_dynamics", true, 5.0, NULL},
    {"ur5", "inverse_dynamics_batch", "linkwork", "inverse_dynamics", true, 0.30, NULL},
    {"ur5", "large_batch_threads", "linkwork", "large_batch", true, 0.55, NULL},
    {"ur5", "generated_inverse", "linkwork", "hand", false, 2.5, NULL},
    {"ur5", "generated_mass", "linkwork", "mass_matrix", false, 4.0, NULL},
    {"ur5", "generated_forward", "linkwork", "forward_dynamics", false, 3.0, NULL},
    {"ur5", "generated_lanes", "linkwork", "generated_inverse", false, 3.0, NULL},
    {"panda", "generated_inverse", "linkwork", "hand", false, 2.5, NULL},
    {"panda", "generated_mass", "linkwork", "mass_matrix", false, 4.0, NULL},
    {"panda", "generated_forward", "linkwork", "forward_dynamics", false, 3.0, NULL},
    {"panda", "generated_lanes", "linkwork", "generated_inverse", false, 3.0, NULL},
    {"g1", "inverse_dynamics", "mujoco", "inverse_dynamics", false, 5.0, NULL},
    {"g1", "mass_matrix", "mujoco", "mass_matrix", false, 3.0, NULL},
    {"g1", "forward_dynamics", "mujoco", "forward_dynamics", false, 2.8, NULL},
    {"g1", "mass_matrix_batch", "linkwork", "mass_matrix", true, 0.35, NULL},
    {"ur5", "step_fall", "linkwork", "forward_dynamics", true, 4 * 1.25, NULL},
    {"ur5", "step_fall_euler", "linkwork", "forward_dynamics", true, 1.25, NULL},
    {"panda", "step_fall", "linkwork", "forward_dynamics", true, 4 * 1.25, NULL},
    {"panda", "step_fall_euler", "linkwork", "forward_dynamics", true, 1.25, NULL},
    {PALLETISER, "step_fall", "linkwork", "forward_dynamics", true, 4 * 1.25, NULL},
    {PALLETISER, "step_fall_euler", "linkwork", "forward_dynamics", true, 1.25, NULL},
    {FOUR_BAR, "step_fall", "linkwork", "forward_dynamics", true, 4 * 1.25, NULL},
    {FOUR_BAR, "step_fall_euler", "linkwork", "forward_dynamics", true, 1.25, NULL},
    {"simple_humanoid", "inverse_dynamics", "mujoco", "inverse_dynamics", false, 5.0, NULL},
    {"simple_humanoid", "mass_matrix", "mujoco", "mass_matrix", false, 3.0, NULL},
    {"simple_humanoid", "forward_dynamics", "mujoco", "forward_dynamics", false, 2.8, NULL},
    {PALLETISER, "inverse_dynamics", "linkwork", "inverse_dynamics", true, 2.0, "tree:" PALLETISER},
    {"massless:" PALLETISER, "inverse_dynamics", "linkwork", "inverse_dynamics", true, 2.0,
     "tree:massless:" PALLETISER},
    {FOUR_BAR, "forward_dynamics", "linkwork", "forward_dynamics", true, 1.6, "tree:" FOUR_BAR},
};
enum { NGOAL = sizeof goals / sizeof *goals };

/// Rows of a table, in order.
static const struct {
    const char *function, *title;
} rows[] = {
    {"poses", "poses of all bodies"},
    {"link_poses", "the same, and every frame copied out"},
    {"jacobian", "Jacobian of the tip"},
    {"inverse_dynamics", "inverse dynamics"},
    {"mass_matrix", "mass matrix"},
    {"mass_matrix_upper", "mass matrix, one triangle"},
    {"inverse_mass", "inverse of the mass matrix"},
    {"forward_dynamics", "forward dynamics"},
    {"inverse_dynamics_few", "64 states over and over: inverse dynamics"},
    {"mass_matrix_few", "64 states over and over: mass matrix"},
    {"forward_dynamics_few", "64 states over and over: forward dynamics"},
    {"inverse_derivatives", "dtau/dq and dtau/dv"},
    {"inverse_derivatives_mass", "dtau/dq, dtau/dv and dtau/da"},
    {"forward_derivatives", "da/dq, da/dv and da/dtau"},
    {"momentum", "centroidal momentum"},
    {"momentum_rate", "rate of centroidal momentum"},
    {"momentum_matrix", "centroidal momentum matrix"},
    {"poses_batch", "batch, a state: poses"},
    {"inverse_dynamics_batch", "batch, a state: inverse dynamics"},
    {"mass_matrix_batch", "batch, a state: mass matrix"},
    {"forward_dynamics_batch", "batch, a state: forward dynamics"},
    {"large_batch", "the same, 20000 states in one call"},
    {"large_batch_threads", "the same, two threads"},
    {"hand", "hand-written Newton-Euler"},
    {"hand_avx2", "the same, compiled for AVX2 and FMA"},
    {"hand_own", "the same, with linkwork's sines and cosines"},
    {"uicker_kahn", "hand-written Uicker-Kahn"},
    {"generated_inverse", "generated code: inverse dynamics"},
    {"generated_mass", "generated code: mass matrix"},
    {"generated_forward", "generated code: forward dynamics"},
    {"generated_derivatives", "generated code: dtau/dq, dtau/dv and dtau/da"},
    {"generated_mass_o2", "generated code, plain -O2: mass matrix"},
    {"generated_mass_o3", "generated code, plain -O3: mass matrix"},
    {"generated_forward_o2", "generated code, plain -O2: forward dynamics"},
    {"generated_forward_o3", "generated code, plain -O3: forward dynamics"},
    {"generated_lanes", "generated code, four states at once, a state: inverse dynamics"},
    {"cycles", "a thousand cycles"},
    {"tool_change", "tool change: disconnect, connect, commit"},
    {"step_euler", "simulation: 1 ms under computed torque, semi-implicit"},
    {"step_rk4", "simulation: 1 ms under computed torque, RK4"},
    {"step_fall", "simulation: a step without drives, RK4"},
    {"step_fall_euler", "simulation: a step without drives, semi-implicit"},
};
enum { NROW = sizeof rows / sizeof *rows };

static int case_of(const results *r, const char *name)
{
    for (int i = 0; i < r->ncase; ++i) {
        if (strcmp(r->name[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

/// The ratio that a goal speaks of, for one build of linkwork, in one round or of the smallest
/// times of all; NaN where a time is missing. Peers count with the fastest of their builds, the
/// yardsticks with the same build as the library.
static double ratio_of(const results *r, const bench_goal *goal, int build, int round)
{
    const int which = case_of(r, goal->which);
    const bool is_own = strcmp(goal->engine, "linkwork") == 0;
    const double own =
        which < 0 ? 0 : results_ns_in(r, round, which, build, "linkwork", goal->function);
    const int beside = goal->beside ? case_of(r, goal->beside) : which;
    const double other = beside < 0 ? 0
                                    : results_ns_in(r, round, beside, is_own ? build : -1,
                                                    goal->engine, goal->other);
    if (!(own > 0.0) || !(other > 0.0)) {
        return (double)NAN;
    }
    return goal->is_limit ? own / other : other / own;
}

/// The least and the largest ratio of the rounds; NaN where there is none.
static void spread_of(const results *r, const bench_goal *goal, int build, double *least,
                      double *most)
{
    *least = *most = (double)NAN;
    for (int round = 0; round < r->rounds; ++round) {
        const double ratio = ratio_of(r, goal, build, round);
        *least = fmin(*least, ratio);
        *most = fmax(*most, ratio);
    }
}

static bool is_reached(const bench_goal *goal, double ratio)
{
    return goal->is_limit ? ratio <= goal->ratio : ratio >= goal->ratio;
}

static void print_ns(FILE *out, double ns)
{
    if (ns > 0.0) {
        fprintf(out, ns < 1000.0 ? " %.1f |" : " %.0f |", ns);
    } else {
        fprintf(out, " – |");
    }
}

static void print_ratio(FILE *out, double above, double below)
{
    if (above > 0.0 && below > 0.0) {
        fprintf(out, " %.2f |", above / below);
    } else {
        fprintf(out, " – |");
    }
}

static void print_case(const results *r, int which, FILE *out)
{
    static const char *const counted[] = {"count:linkwork", "count:generic", "count:kdl",
                                          "count:mujoco"};
    fprintf(out, "\n## %s\n\n|  |", r->name[which]);
    for (int b = 0; b < r->nbuild; ++b) {
        fprintf(out, " linkwork, %s |", r->build[b].name);
    }
    fprintf(out,
            " KDL | MuJoCo | KDL ÷ | MuJoCo ÷ | instructions | generic | KDL | MuJoCo |\n|---|");
    for (int b = 0; b < r->nbuild + 8; ++b) {
        fprintf(out, "---:|");
    }
    fprintf(out, "\n");
    for (int i = 0; i < NROW; ++i) {
        const double own = results_ns(r, which, 0, "linkwork", rows[i].function);
        const double kdl = results_ns(r, which, -1, "kdl", rows[i].function);
        const double mujoco = results_ns(r, which, -1, "mujoco", rows[i].function);
        if (!(own > 0.0 || kdl > 0.0 || mujoco > 0.0)) {
            continue;
        }
        fprintf(out, "| %s |", rows[i].title);
        for (int b = 0; b < r->nbuild; ++b) {
            print_ns(out, results_ns(r, which, b, "linkwork", rows[i].function));
        }
        print_ns(out, kdl);
        print_ns(out, mujoco);
        print_ratio(out, kdl, own);
        print_ratio(out, mujoco, own);
        for (size_t k = 0; k < sizeof counted / sizeof *counted; ++k) {
            const double count = results_ns(r, which, 0, counted[k], rows[i].function);
            fprintf(out, count > 0.0 ? " %.0f |" : " – |", count);
        }
        fprintf(out, "\n");
    }
    const double kdl = results_worst(r, which, "kdl"), mujoco = results_worst(r, which, "mujoco");
    if (kdl >= 0.0) {
        fprintf(out, "\nKDL's answers differ from linkwork's by at most %.1e (relative).", kdl);
    }
    if (mujoco >= 0.0) {
        fprintf(out, "\nMuJoCo's answers differ from linkwork's by at most %.1e (relative).",
                mujoco);
    }
    fprintf(out, kdl >= 0.0 || mujoco >= 0.0 ? "\n" : "");
    for (int i = 0; i < r->nrecord; ++i) {
        const record *at = &r->record[i];
        if (at->which == which && at->why[0] && at->build == 0) {
            fprintf(out, "\nNo time of %s for %s: %s.\n", at->engine, at->function, at->why);
        }
    }
}

static void print_spread(const results *r, const bench_goal *goal, int build, FILE *out)
{
    const double ratio = ratio_of(r, goal, build, ALL_ROUNDS);
    double least, most;
    spread_of(r, goal, build, &least, &most);
    if (isnan(ratio)) {
        fprintf(out, " – |");
    } else if (isnan(least)) {
        fprintf(out, " %.2f |", ratio);
    } else {
        fprintf(out, " %.2f (%.2f to %.2f) |", ratio, least, most);
    }
}

static int print_goals(const results *r, FILE *out)
{
    int missed = 0;
    fprintf(
        out,
        "\n## Goals\n\nRatios of the smallest times; in parentheses the least and the largest of "
        "the ratios within one round.\n\n| machine | function | against | goal |");
    for (int b = 0; b < r->nbuild; ++b) {
        fprintf(out, " %s |", r->build[b].name);
    }
    fprintf(out, "  |\n|---|---|---|---|");
    for (int b = 0; b < r->nbuild; ++b) {
        fprintf(out, "---:|");
    }
    fprintf(out, "---|\n");
    for (int i = 0; i < NGOAL; ++i) {
        const bench_goal *goal = &goals[i];
        if (case_of(r, goal->which) < 0) {
            continue;
        }
        fprintf(out, "| %s | %s | %s %s%s%s | %s %.2f × |", goal->which, goal->function,
                goal->engine, goal->other, goal->beside ? " of " : "",
                goal->beside ? goal->beside : "", goal->is_limit ? "at most" : "faster by",
                goal->ratio);
        for (int b = 0; b < r->nbuild; ++b) {
            print_spread(r, goal, b, out);
        }
        const double ratio = ratio_of(r, goal, 0, ALL_ROUNDS);
        const bool is_missed = !isnan(ratio) && !is_reached(goal, ratio);
        missed += is_missed;
        fprintf(out, " %s |\n", isnan(ratio) ? "no time" : is_missed ? "not reached" : "reached");
    }
    return missed;
}

/// D44: Table 1 of Höpler and Otter, which they measured on a Pentium of 200 MHz, in cycles, beside
/// this processor's. Then the tool change, for which a time is the goal.
static int print_paper(const results *r, FILE *out)
{
    static const struct {
        const char *function, *title;
        double paper;
    } table[] = {{"poses", "all positions", 3400},
                 {"jacobian", "Jacobian of the flange", 11600},
                 {"inverse_dynamics", "inverse dynamics", 15000}};
    const int which = case_of(r, PALLETISER), massless = case_of(r, "massless:" PALLETISER);
    const double ns = which < 0 ? 0 : results_ns(r, which, 0, "linkwork", "cycles");
    if (!(ns > 0.0) || massless < 0) {
        return 0;
    }
    int missed = 0;
    const double cycle = ns / 1000; // of a chain of a thousand instructions
    fprintf(
        out,
        "\n## The palletiser beside Table 1 of Höpler and Otter\n\n"
        "Cycles of this processor (%s): times of the machine whose rods have no mass, as the "
        "paper's, over\nthat of a cycle, %.4f ns, which is measured in the same run by a chain of "
        "instructions that wait for\neach other. The goal is 10 times fewer than the paper's.\n\n"
        "| function | cycles | paper | paper ÷ |  |\n|---|---:|---:|---:|---|\n",
        r->build[0].name, cycle);
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
        const double own = results_ns(r, massless, 0, "linkwork", table[i].function) / cycle;
        const bool is_missed = !(table[i].paper >= 10 * own);
        missed += is_missed;
        fprintf(out, "| %s | %.0f | %.0f | %.1f | %s |\n", table[i].title, own, table[i].paper,
                table[i].paper / own, is_missed ? "not reached" : "reached");
    }
    const double change = results_ns(r, which, 0, "linkwork", "tool_change");
    fprintf(out,
            "\nA tool change (payload off, two joints and a tool on, 4 to 6 degrees of freedom, or "
            "back) "
            "commits in %.1f µs;\nthe goal is below 100 µs: %s.\n",
            1e-3 * change, change > 0.0 && change < 1e5 ? "reached" : "not reached");
    const double step = results_ns(r, which, 0, "linkwork", "step_euler");
    if (step > 0.0) {
        fprintf(
            out,
            "\nSimulated in fixed steps of 1 ms under computed torque it runs %.0f times faster "
            "than real time;\nthe goal is 200 times: %s.\n",
            1e6 / step, step <= 5e3 ? "reached" : "not reached");
        missed += step > 5e3;
    }
    return missed + !(change > 0.0 && change < 1e5);
}

/// How long the compiler takes for generated code, for which a time is the goal.
static int print_compiling(const results *r, FILE *out)
{
    static const char *const robots[] = {"ur5", "panda"};
    int missed = 0;
    for (size_t i = 0; i < sizeof robots / sizeof *robots; ++i) {
        const int which = case_of(r, robots[i]);
        const double ns = which < 0 ? 0 : results_ns(r, which, 0, "linkwork", "compile_inverse");
        if (ns > 0.0) {
            fprintf(out,
                    "\nThe generated inverse dynamics of %s is compiled (%s, -O2) in %.2f s; the "
                    "goal is below 2 s: %s.\n",
                    robots[i], r->build[0].name, 1e-9 * ns, ns < 2e9 ? "reached" : "not reached");
            missed += ns >= 2e9;
        }
    }
    return missed;
}

/// The time of a function of a chain over n to a power, in ns.
static void print_share(const results *r, int which, const char *function, double power, FILE *out)
{
    const double ns = results_ns(r, which, 0, "linkwork", function);
    const double n = atof(r->name[which] + strlen("chain:"));
    fprintf(out, ns > 0.0 ? " %.3g |" : " – |", ns / pow(n, power));
}

/// Growth with the number of joints, and the mass matrices for which a time is the goal.
static int print_growth(const results *r, FILE *out)
{
    static const struct {
        const char *function, *title;
        double power;
    } columns[] = {{"poses", "poses", 1},
                   {"inverse_dynamics", "inverse dynamics", 1},
                   {"forward_dynamics", "forward dynamics", 1},
                   {"mass_matrix", "mass matrix", 2},
                   {"mass_matrix_upper", "one triangle of it", 2},
                   {"inverse_mass", "its inverse", 2},
                   {"inverse_derivatives", "dtau/dq and dtau/dv", 2},
                   {"forward_derivatives", "da/dq, da/dv and da/dtau", 2}};
    static const struct {
        const char *which;
        double goal; ///< in ns
    } triangles[] = {{"chain:100", 7e3}, {"chain:1000", 6e5}};
    enum { NCOLUMN = sizeof columns / sizeof *columns };
    int missed = 0, nchain = 0;
    for (int which = 0; which < r->ncase; ++which) {
        if (strncmp(r->name[which], "chain:", 6) != 0) {
            continue;
        }
        if (nchain++ == 0) {
            fprintf(out,
                    "\n## Growth with the number of joints\n\n"
                    "For chains of n revolute joints (linkwork, %s): ns per joint, and what has n² "
                    "results in\nns per n².\n\n| n |",
                    r->build[0].name);
            for (int k = 0; k < NCOLUMN; ++k) {
                fprintf(out, " %s |", columns[k].title);
            }
            fprintf(out, "\n|---:|");
            for (int k = 0; k < NCOLUMN; ++k) {
                fprintf(out, "---:|");
            }
            fprintf(out, "\n");
        }
        fprintf(out, "| %s |", r->name[which] + strlen("chain:"));
        for (int k = 0; k < NCOLUMN; ++k) {
            print_share(r, which, columns[k].function, columns[k].power, out);
        }
        fprintf(out, "\n");
    }
    for (size_t i = 0; i < sizeof triangles / sizeof *triangles; ++i) {
        const int which = case_of(r, triangles[i].which);
        const double ns = which < 0 ? 0 : results_ns(r, which, 0, "linkwork", "mass_matrix_upper");
        if (ns > 0.0) {
            fprintf(out,
                    "\nOne triangle of the mass matrix of %s takes %.4g µs; the goal is at most "
                    "%.4g: %s.\n",
                    triangles[i].which, 1e-3 * ns, 1e-3 * triangles[i].goal,
                    ns <= triangles[i].goal ? "reached" : "not reached");
            missed += ns > triangles[i].goal;
        }
    }
    return missed;
}

static void processor(char *text, size_t size)
{
    snprintf(text, size, "unknown");
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[1000];
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon) {
            snprintf(text, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
            break;
        }
    }
    if (file) {
        fclose(file);
    }
}

static void today(char *text, size_t size)
{
    const time_t now = time(NULL);
    struct tm parts;
    strftime(text, size, "%Y-%m-%d %H:%M UTC", gmtime_r(&now, &parts));
}

int report_markdown(const results *r, FILE *out)
{
    char cpu[TEXT_SIZE], date[TEXT_SIZE];
    processor(cpu, sizeof cpu);
    today(date, sizeof date);
    fprintf(out, "# Benchmarks of linkwork\n\nProcessor: %s. Date: %s. One core.\n", cpu, date);
    for (int b = 0; b < r->nbuild; ++b) {
        fprintf(out, "\n- %s: %s%s%s", r->build[b].name, r->build[b].about,
                r->build[b].level ? ", held at the level " : "",
                r->build[b].level ? r->build[b].level : "");
    }
    fprintf(
        out,
        "\n- peers: %s, %s, from Debian: generic builds for x86-64, without AVX. linkwork chooses "
        "code\n  by the processor; its column \"generic\" is what it does without\n",
        r->kdl[0] ? r->kdl : "no KDL", r->mujoco[0] ? r->mujoco : "no MuJoCo");
    fprintf(
        out,
        "\nMethod: 1024 random states within the limits, the same for every engine, in turn; each "
        "process times\nblocks of 0.2 ms and reports the median; %d processes of each kind, in "
        "turns; "
        "the smallest median\ncounts (2 for the models of this "
        "repository). Every answer is compared\nwith linkwork's before it is timed, and has no "
        "time "
        "where it differs by more than 1e-6. Peers get the\nsame tree with fixed links merged, in "
        "the "
        "form that is fastest for them.\n\nTimes are in ns per evaluation. The columns with ÷ say "
        "how "
        "many times longer the peer takes\nthan the first build of linkwork. Batches are timed a "
        "state, and give the poses of all frames. Instructions are\nthe median per call, counted "
        "by "
        "callgrind (bench/counts.sh): of linkwork's code for AVX2, of its code for any x86-64 "
        "(generic),\nand of the peers.\n",
        r->rounds);
    for (int which = 0; which < r->ncase; ++which) {
        if (strncmp(r->name[which], "chain:", 6) != 0 &&
            results_ns(r, which, -1, "linkwork", "poses") > 0.0) {
            print_case(r, which, out);
        }
    }
    int missed = print_growth(r, out);
    missed += print_paper(r, out);
    missed += print_goals(r, out);
    return missed + print_compiling(r, out);
}

static void json_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; ++text) {
        if (*text == '"' || *text == '\\') {
            fputc('\\', out);
        }
        fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
    }
    fputc('"', out);
}

void report_json(const results *r, FILE *out)
{
    char cpu[TEXT_SIZE], date[TEXT_SIZE];
    processor(cpu, sizeof cpu);
    today(date, sizeof date);
    fprintf(out, "{\"processor\": ");
    json_text(out, cpu);
    fprintf(out, ", \"date\": \"%s\", \"rounds\": %d,\n \"peers\": [", date, r->rounds);
    json_text(out, r->kdl);
    fprintf(out, ", ");
    json_text(out, r->mujoco);
    fprintf(out, "],\n \"builds\": {");
    for (int b = 0; b < r->nbuild; ++b) {
        fprintf(out, b ? ", " : "");
        json_text(out, r->build[b].name);
        fprintf(out, ": ");
        json_text(out, r->build[b].about);
    }
    fprintf(out, "},\n \"rows\": [");
    const char *comma = "";
    for (int i = 0; i < r->nrecord; ++i) {
        const record *at = &r->record[i];
        if (at->ns > 0.0) {
            fprintf(out, "%s\n  {\"case\": ", comma);
            json_text(out, r->name[at->which]);
            fprintf(out,
                    ", \"engine\": \"%s\", \"build\": \"%s\", \"function\": \"%s\", "
                    "\"%s\": %.3f, ",
                    at->engine, r->build[at->build].name, at->function,
                    strncmp(at->engine, "count:", 6) == 0 ? "instructions" : "ns", at->ns);
            // An answer that is not finite has no difference, and JSON no such number.
            if (isfinite(at->worst)) {
                fprintf(out, "\"worst\": %.3g}", at->worst);
            } else {
                fprintf(out, "\"worst\": null}");
            }
            comma = ",";
        }
    }
    fprintf(out, "],\n \"goals\": [");
    comma = "";
    for (int i = 0; i < NGOAL; ++i) {
        const double ratio = ratio_of(r, &goals[i], 0, ALL_ROUNDS);
        double least, most;
        spread_of(r, &goals[i], 0, &least, &most);
        if (!isnan(ratio)) {
            fprintf(out,
                    "%s\n  {\"case\": \"%s\", \"function\": \"%s\", \"against\": \"%s %s\", "
                    "\"beside\": \"%s\", \"at_%s\": %g, \"ratio\": %.3f, \"least\": %.3f, "
                    "\"most\": %.3f, \"reached\": %s}",
                    comma, goals[i].which, goals[i].function, goals[i].engine, goals[i].other,
                    goals[i].beside ? goals[i].beside : goals[i].which,
                    goals[i].is_limit ? "most" : "least", goals[i].ratio, ratio,
                    isnan(least) ? ratio : least, isnan(most) ? ratio : most,
                    is_reached(&goals[i], ratio) ? "true" : "false");
            comma = ",";
        }
    }
    fprintf(out, "]}\n");
}
