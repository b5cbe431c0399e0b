// The program linkwork: the table of commands, and the help that is common to all.

#include "args.h"
#include "commands.h"
#include "files.h"
#include "message.h"
#include "output.h"
#include "suggest.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OF_FILE (OPTION(OPT_PATH) | OPTION(OPT_SILENCE))
#define OF_MODEL                                                                                   \
    (OPTION(OPT_LEVEL) | OPTION(OPT_FREE_BASE) | OPTION(OPT_IDEAL) | OPTION(OPT_FRICTION_SPEED) |  \
     OF_FILE)
#define OF_RESULT (OF_MODEL | OPTION(OPT_JSON))
#define OF_EQUATIONS                                                                               \
    (OPTION(OPT_FUNCTIONS) | OPTION(OPT_FRAME) | OPTION(OPT_COST) | OPTION(OPT_EFFORT))
#define OF_POSITION (OPTION(OPT_Q) | OPTION(OPT_STATE))
#define OF_MOTION (OF_POSITION | OPTION(OPT_V) | OPTION(OPT_A))

static const command_def commands[] = {
    {
        .name = "info",
        .operands = "MODEL",
        .noperand = 1,
        .options = OF_RESULT,
        .summary = "what the model is: coordinates, frames, mass",
        .about =
            "Tells what a model is: how many bodies and freedoms it has, its positions in the "
            "order that all commands use, their reference and limits, its frames and its mass.",
        .keys = "name, nbody, nq, nv, positions (names), velocities (names), frames (names), "
                "loops, mass (kg), reference (q), joints (name, type, and limits lower, upper, "
                "velocity, effort: a number, null without a limit, an array for several degrees of "
                "freedom); drives where it has any",
        .example = "info arm.urdf\ninfo arm.urdf --json",
        .run = command_info,
    },
    {
        .name = "check",
        .operands = "MODEL",
        .noperand = 1,
        .options = OF_RESULT,
        .summary = "everything that is wrong or doubtful in the file",
        .about = "Reads and compiles a model and lists all diagnostics, as "
                 "file:line:column: severity: message [code] on standard error. Ends with 1 where "
                 "there is an error; warnings and notes leave it at 0. --silence drops those of "
                 "one code.",
        .keys = "findings: file, line, column, severity (note, warning, error), code, message",
        .example = "check arm.urdf\ncheck rover.xml --path ../parts --json\n"
                   "check arm.urdf --silence mesh-missing",
        .run = command_check,
    },
    {
        .name = "explain",
        .operands = "MODEL",
        .noperand = 1,
        .options = OF_RESULT | OPTION(OPT_STAGE),
        .summary = "how the model was built: tree, loops, gears, dependent joints",
        .about =
            "Tells how the model was built from the description: the tree of bodies, links that "
            "were merged because they are rigidly one, the loops that rods and closing joints "
            "make, the gears, and the steps by which dependent joints follow from others, in "
            "their order and with the way each is solved.\n\n"
            "A loop sets conditions, of which it may feel fewer: a planar four-bar does not feel "
            "those that hold it in its plane. A closed form has two branches, and stays on that of "
            "the reference configuration. A gear is a row of coefficients on the rates of joints; "
            "where gears alone tie joints, a table gives each joint by the motors. Drives are told "
            "with their inertia and limits, how often each turns for one turn of the joints, and, "
            "where that can be turned around, the joints by the drives.\n\n"
            "Levels tell which transmission parts each assembly has, locks or leaves out.",
        .keys = "tree (body, parent, joint, type, velocities, mass), merged (body, links), loops "
                "(name, type, bodies, length, mass, conditions, rank, step), gears (name, type, "
                "wheels, carrier, joints, indices, coefficients, step; couplings: solves, from, "
                "ratio, offset), closure (in order: kind, solves, from, loops, gears, branch, "
                "condition, condition_near; of a rod: common, fragments (bodies, evaluations, "
                "evaluations_derived); "
                "ratio and offset, or polynomial), motors (joints, motors, matrix, offset), "
                "drives (drives: name, index, inertia, max_effort, max_velocity, stall_effort, "
                "no_load_velocity, continuous_effort, curve; following, "
                "joints, ratio, inverse), "
                "levels (assembly, level, transmission_parts, mass, mass_moved, mass_left_out, "
                "locked and left_out: part, kind, carrier, mass, inertia, slides), notes; with "
                "--stage: stage, lines",
        .example = "explain gripper.urdf\nexplain palletiser.xml --json",
        .run = command_explain,
    },
    {
        .name = "draw",
        .operands = "MODEL",
        .noperand = 1,
        .options = OF_MODEL | OF_POSITION | OPTION(OPT_OUTPUT) | OPTION(OPT_VIEW) |
                   OPTION(OPT_SIZE) | OPTION(OPT_SHOW) | OPTION(OPT_WORKSPACE) | OPTION(OPT_HOLD) |
                   OPTION(OPT_SAMPLES),
        .is_picture = true,
        .summary = "a line picture of the machine, as SVG",
        .about =
            "Draws the machine at a configuration: links, joint symbols (a cylinder turns, a "
            "box on a rail slides, a ball turns every way; pale ones depend on others, amber "
            "ones close loops), rods (slender, with a ball at each end), gears (pitch circles, "
            "with a red point where they mesh), springs (green zigzags; dampers are boxes), "
            "frames (x red, y green, z blue), the ground. Shapes of links are covers, which hide "
            "the joints within them.",
        .example = "draw arm.urdf -o arm.svg\ndraw arm.urdf -q elbow=1.2 --view side -o arm.svg\n"
                   "draw arm.urdf --show tips,joints,skeleton -o arm.svg\n"
                   "draw arm.urdf --workspace tool --hold base --view side -o reach.svg",
        .note = {{OPT_SAMPLES, "Samples of a workspace, up to 10000000. Default: 400000."},
                 {OPT_OUTPUT, "The picture to write, FILE.svg; '-' is standard output."}},
        .run = command_draw,
    },
    {
        .name = "convert",
        .operands = "MODEL OUT",
        .noperand = 2,
        .options = OPTION(OPT_TO) | OPTION(OPT_JOINT_FORM) | OF_FILE | OPTION(OPT_JSON),
        .summary = "writes the model in another format",
        .about = "Writes the model to the file OUT, whole or not at all, and lists what that "
                 "format cannot hold; '-' is standard output, and needs --to.",
        .keys = "lost (one line each)",
        .example = "convert arm.urdf arm.xml\nconvert arm.xml arm.out --to urdf\n"
                   "convert arm.urdf arm_dh.xml --form craig",
        .run = command_convert,
    },
    {
        .name = "demo",
        .operands = "",
        .noperand = 0,
        .options = OPTION(OPT_OUTPUT) | OPTION(OPT_ROBOT),
        .is_picture = true,
        .summary = "a first look, with a robot that is built in",
        .about =
            "Shows what the program does on one screen, with a palletising robot that is built in: "
            "its parts, its two loops and how each is solved, the torques of a motion, and the "
            "time that this takes beside the times that the robot's authors published (Höpler and "
            "Otter, on a processor of 200 MHz); and draws it to linkwork-demo.svg or the file "
            "given. Cycles are those of the processor's clock, as it runs. --robot ur5 shows an "
            "arm without "
            "loops: its poses and the Jacobian of its tip. Either way it derives the robot's "
            "equations, tells what they cost beside general methods, writes them as C, compiles "
            "and loads that, compares and times it.",
        .example = "demo\ndemo -o picture.svg\ndemo --robot ur5",
        .run = command_demo,
    },
    {
        .name = "fk",
        .operands = "MODEL",
        .noperand = 1,
        .options = OF_RESULT | OF_POSITION | OPTION(OPT_FRAME) | OPTION(OPT_RELATIVE_TO) |
                   OPTION(OPT_DEPENDENT),
        .summary = "forward kinematics: poses of frames",
        .about = "Gives the pose of every frame in the world, or of the frames asked for, at the "
                 "given positions.",
        .keys = "frames: name to position [3] (m) and quaternion [w, x, y, z]; with "
                "--dependent also dependent: name to position",
        .example = "fk arm.urdf -q 0,0.5,-0.5\nfk arm.urdf -q elbow=1.2 --frame tool0 "
                   "--relative-to base_link\nfk arm.urdf --state states.json --json\n"
                   "fk palletiser.xml --dependent",
        .run = command_fk,
    },
    {
        .name = "jacobian",
        .operands = "MODEL",
        .noperand = 1,
        .options = OF_RESULT | OF_POSITION | OPTION(OPT_FRAME) | OPTION(OPT_EXPRESSED_IN) |
                   OPTION(OPT_PARAMETERS),
        .summary = "Jacobian of a frame",
        .about =
            "Gives the Jacobian of a frame, 6 by nv: J v is the angular velocity of the frame "
            "(the first three rows) and the velocity of its origin.\n\n"
            "With --parameters its columns are derivatives by numbers of the description, through "
            "loops and gears as well: LINK.b.x, LINK.FRAME.roll, JOINT.axis.x, JOINT.before.y, "
            "ROD.length, GEAR.ratio and so on; a part for all that it has, or all. A parameter "
            "that cannot vary without opening loops is said with how fast they open.",
        .keys = "J (six rows), columns (names of the velocities, or of the parameters); with "
                "--parameters opening (of loops, by each parameter)",
        .example = "jacobian arm.urdf --frame tool0\n"
                   "jacobian arm.urdf --frame tool0 --expressed-in frame -q 0,0.5,-0.5 --json\n"
                   "jacobian palletiser.xml --frame flange --parameters LAB.length,L23",
        .note = {{OPT_PARAMETERS, "Numbers that place parts, as above."}},
        .run = command_jacobian,
    },
    {
        .name = "id",
        .operands = "MODEL",
        .noperand = 1,
        .options = OF_RESULT | OF_MOTION,
        .summary = "inverse dynamics: forces for a motion",
        .about = "Gives the joint forces and torques (N, N m) that produce the given "
                 "accelerations, and what the drives must give for them where the machine has any: "
                 "the least sum of squares where they can share it.",
        .keys = "tau, names; with drives: drives (names), effort, drives_suffice",
        .example = "id arm.urdf -q 0,0.5,-0.5 -v 1,0,0 -a 0,0,2",
        .run = command_id,
    },
    {
        .name = "fd",
        .operands = "MODEL",
        .noperand = 1,
        .options = OF_RESULT | OF_POSITION | OPTION(OPT_V) | OPTION(OPT_T),
        .summary = "forward dynamics: motion that forces cause",
        .about = "Gives the accelerations that the given joint forces cause.",
        .keys = "a, names",
        .example = "fd arm.urdf -q 0,0.5,-0.5 -t elbow=3",
        .run = command_fd,
    },
    {
        .name = "mass",
        .operands = "MODEL",
        .noperand = 1,
        .options = OF_RESULT | OF_POSITION,
        .summary = "mass matrix",
        .about = "Gives the mass matrix at the given positions, rotor inertias included.",
        .keys = "M (rows), names",
        .example = "mass arm.urdf -q 0,0.5,-0.5 --json",
        .run = command_mass,
    },
    {
        .name = "gravity",
        .operands = "MODEL",
        .noperand = 1,
        .options = OF_RESULT | OF_POSITION,
        .summary = "forces that hold the weight",
        .about = "Gives the joint forces and torques that hold the weight at rest.",
        .keys = "tau, names",
        .example = "gravity arm.urdf -q 0,0.5,-0.5",
        .run = command_gravity,
    },
    {
        .name = "energy",
        .operands = "MODEL",
        .noperand = 1,
        .options = OF_RESULT | OF_POSITION | OPTION(OPT_V),
        .summary = "kinetic and potential energy",
        .about = "Gives the kinetic and the potential energy (J); that of gravity is zero at the "
                 "origin of the world. Links fixed to the ground are not included: theirs is "
                 "constant.",
        .keys = "kinetic, potential",
        .example = "energy arm.urdf -q 0,0.5,-0.5 -v 1,0,0",
        .run = command_energy,
    },
    {
        .name = "sensitivity",
        .operands = "MODEL",
        .noperand = 1,
        .options = OF_RESULT | OF_MOTION | OPTION(OPT_PARAMETERS),
        .summary = "derivatives of forces by inertial parameters",
        .about = "Gives the derivative of the joint forces of inverse dynamics by masses, centres "
                 "and inertias of links.",
        .keys = "dtau (one row a joint, one column a parameter), parameters, names",
        .example = "sensitivity arm.urdf --parameters forearm.mass,forearm.center.x -q 0,0.5,-0.5\n"
                   "sensitivity arm.urdf --parameters forearm --json",
        .run = command_sensitivity,
    },
    {
        .name = "simulate",
        .operands = "MODEL",
        .noperand = 1,
        .options = OF_RESULT | OPTION(OPT_Q) | OPTION(OPT_V) | OPTION(OPT_T) | OPTION(OPT_RUN) |
                   OPTION(OPT_TIME) | OPTION(OPT_METHOD) | OPTION(OPT_STEP) | OPTION(OPT_ACCURACY) |
                   OPTION(OPT_EVERY) | OPTION(OPT_STOPS) | OPTION(OPT_OUTPUT) | OPTION(OPT_PLOT) |
                   OPTION(OPT_SPECTRUM) | OPTION(OPT_LEVELS),
        .summary = "motion in time, under forces and controllers",
        .about =
            "Simulates the machine: free from the state of -q and -v, under constant forces -t, "
            "or as a run file says. Loops, gears and couplings hold at every instant. Reports "
            "the drift of energy against the work that was done, how far loops open, and what "
            "drives gave: peak and rms force, speed and power; for motors of the model also how "
            "much "
            "the motion asks of what each has at its speed, and where that is too much.\n\n"
            "-o writes a table with one row each time: time (s), q.NAME, v.NAME, tau.NAME, "
            "kinetic, "
            "potential, work, lost (J), and error.NAME where a controller follows a motion. Files "
            "are written whole or not at all; Ctrl-C ends the "
            "simulation "
            "and writes what there is.\n\n"
            "Several run files, and several choices of --levels, are simulated one after the "
            "other, and overlaid in plots.",
        .keys =
            "time, steps, rejected, evaluations, stiff (share of the steps that stability "
            "limits, not accuracy), events, seconds (that it took), energy_fed, "
            "energy_lost, energy_stored and energy_drift (J), energy_drift_relative, "
            "constraint_drift (m), q and v at the end; for each "
            "of names: peak_force, rms_force, peak_speed, peak_power, peak_error, at_limit (share "
            "of the time); motors: name, "
            "peak_force, rms_force, peak_speed, peak_power, peak_braking, use (largest share of "
            "what it has) "
            "with use_time, use_force and use_speed, beyond (share of the time), first_beyond "
            "(s), continuous_use; several runs or levels give an array, each with run and levels",
        .example = "simulate arm.urdf -q 0,0.5,-0.5 --time 2 -o arm.csv --plot arm.svg\n"
                   "simulate palletiser.xml --run pick.xml --plot pick.svg\n"
                   "simulate palletiser.xml --run soft.xml --run stiff.xml --plot both.svg\n"
                   "simulate hr120.xml --run lift.xml --levels high,low --plot levels.svg",
        .note = {{OPT_OUTPUT, "The table to write: NumPy's format where FILE ends with .npy, else "
                              "CSV. '-' is standard output, and leaves the report out."},
                 {OPT_LEVELS,
                  "Levels to simulate the machine at, one after the other: high, middle, low; or "
                  "assemblies and their levels joined by '+', the rest as the file says: "
                  "wrist=low+base=high, or high+wrist=low. Default: as the file says."}},
        .run = command_simulate,
    },
    {
        .name = "linearize",
        .operands = "MODEL",
        .noperand = 1,
        .options = OF_RESULT | OF_POSITION | OPTION(OPT_T) | OPTION(OPT_RUN),
        .summary = "small motions about a state of rest: frequencies and damping",
        .about =
            "Linearises the equation of motion about rest at the given positions, under the "
            "forces that hold the machine there or those of -t: dx/dt = A x + B u for small "
            "changes x of positions and velocities and u of forces. Gives the eigenvalues of A, "
            "and for each oscillation its frequency and damping ratio. Springs and dampers of "
            "joints are in it, Coulomb friction is not.\n\n"
            "With --run the machine is held by the controller of a run file where that begins, or "
            "where it sags to from there, and A is that of both together.",
        .keys = "A, B (rows; with --run no B but q, where it rests), names, residual (largest "
                "acceleration there), eigenvalues "
                "([real, imaginary], from slow to fast), modes (frequency in Hz, damping)",
        .example = "linearize vibran6.xml\nlinearize arm.urdf -q 0,0.5,-0.5 --json\n"
                   "linearize palletiser.xml --run pick.xml",
        .run = command_linearize,
    },
    {
        .name = "compare",
        .operands = "MODEL",
        .noperand = 1,
        .options = OF_RESULT | OPTION(OPT_LEVELS) | OPTION(OPT_STATE) | OPTION(OPT_SAMPLES) |
                   OPTION(OPT_PLOT),
        .summary = "levels of detail against each other along a motion",
        .about =
            "Computes the joint forces of one motion at several levels of detail, and tells how "
            "far each is from the last one, and how long a point takes, also as a multiple of the "
            "first one's time. The motion goes from the "
            "reference configuration halfway to the farther limit of each joint, at most 1 rad or "
            "0.2 m, by a quintic within the limits of velocity and in no less than a second; it "
            "is made shorter where a loop would not close. --state gives other points. Motors "
            "behind "
            "elastic shafts, which only some choices have, follow the joints as rigid shafts "
            "would, "
            "and forces are those at the joints.\n\n"
            "What --level says holds where a choice says nothing.",
        .keys =
            "names, against, samples, duration, compared: levels, nbody, mass, following (joints "
            "of this choice alone), ns, peak, largest, rms, inertia (one number a joint), tau (one "
            "row a point)",
        .example = "compare hr120.xml\ncompare hr120.xml --levels high+wrist=low,low --json",
        .note = {{OPT_PLOT, "Draws the force of each joint over time, levels overlaid."}},
        .run = command_compare,
    },
    {
        .name = "derive",
        .operands = "MODEL",
        .noperand = 1,
        .options = OF_RESULT | OPTION(OPT_FUNCTIONS) | OPTION(OPT_FORM) | OPTION(OPT_FORMAT) |
                   OPTION(OPT_SYMBOLIC) | OPTION(OPT_PRODUCTS) | OPTION(OPT_COST) |
                   OPTION(OPT_EFFORT) | OPTION(OPT_ROUND) | OPTION(OPT_FRAME) |
                   OPTION(OPT_UNBALANCE) | OPTION(OPT_OUTPUT),
        .summary = "equations of motion, as a document",
        .about =
            "Derives the equations of motion and writes how they were found: frames and table of "
            "Denavit and Hartenberg, symbols, each step, the equations element by element, which "
            "of them vanish, base parameters, and operation counts beside those of the "
            "literature; by default for inverse dynamics and, of machines of a few joints, for all "
            "elements of its matrices. Loops in closed form are derived with the rest; those "
            "without one are "
            "written out as rounds of Newton's method.",
        .keys = "form (taken for inverse dynamics), counts (function: mul, add, div, sqrt, sincos, "
                "other), forms (function: form: the same)",
        .example = "derive scara.xml --symbolic --form lagrange\n"
                   "derive arm.urdf --format tex -o arm.tex\n"
                   "derive arm.urdf --functions inverse_dynamics --cost products --json",
        .run = command_derive,
    },
    {
        .name = "generate",
        .operands = "MODEL",
        .noperand = 1,
        .options = OF_RESULT | OF_EQUATIONS | OPTION(OPT_FORM) | OPTION(OPT_OUTPUT) |
                   OPTION(OPT_LANGUAGE) | OPTION(OPT_SYMBOLIC) | OPTION(OPT_INPUTS) |
                   OPTION(OPT_FLOAT) | OPTION(OPT_KEEP_SMALL) | OPTION(OPT_VECTOR) |
                   OPTION(OPT_SINCOS) | OPTION(OPT_SINCOS_INPUT) | OPTION(OPT_JOIN) |
                   OPTION(OPT_DICTIONARY) | OPTION(OPT_SPLIT) | OPTION(OPT_ROUND) |
                   OPTION(OPT_PREFIX),
        .summary = "C or Python code for the machine's equations",
        .about = "Derives the equations of the machine and writes them as code to the file -o, "
                 "whole or not at all: a header in C99 that needs <math.h> only, or a module in "
                 "Python. The code allocates nothing and has no branch and no loop; in it are what "
                 "it costs, units and shapes, and a self check. By default it is inverse "
                 "dynamics.",
        .keys = "counts: function, with mul, add, div, sqrt, sincos, other; file",
        .example = "generate arm.urdf -o arm.h\n"
                   "generate arm.urdf -o arm.h --functions inverse_dynamics,mass_matrix --float\n"
                   "generate arm.urdf -o arm.h --functions mass_matrix,gravity --join --split\n"
                   "generate arm.urdf -o arm.h --functions elements --form uicker --dictionary\n"
                   "generate arm.urdf -o arm.h --inputs m_tool,b_wrist\n"
                   "generate arm.urdf -o arm.py --language python",
        .run = command_generate,
    },
    {
        .name = "verify",
        .operands = "MODEL",
        .noperand = 1,
        .options = OF_RESULT | OF_EQUATIONS | OPTION(OPT_STATES) | OPTION(OPT_TOLERANCE) |
                   OPTION(OPT_ENGINES),
        .summary = "compares the ways of computing the machine",
        .about = "Computes the machine in several ways at random states: by the numeric "
                 "algorithms, by derived equations, and by code that is generated, compiled (with "
                 "CC, or cc) and loaded; and tells for each pair of them the worst difference "
                 "of an element, relative to the largest one of the answer, or to what is usual "
                 "for the machine where that is less. Ends with 4 where it is larger than the "
                 "tolerance, and with 1 where --engines names generated but nothing can be "
                 "compiled. Compiled code is kept in the user's cache folder.",
        .keys = "pairs: engines (two names), function, worst, size (that it is relative to), "
                "tolerance, open (states at which both "
                "say that a loop is open), refused (by one, in straight-line code for loops "
                "without a closed form), state (q, v, a, tau)",
        .example = "verify arm.urdf\nverify arm.urdf --functions all --states 1000 --json",
        .note = {{OPT_EFFORT, "How long to search for cheaper equations: not at all, seconds, or "
                              "minutes. Default: 0."}},
        .run = command_verify,
    },
    {
        .name = "bench",
        .operands = "MODEL",
        .noperand = 1,
        .options = OF_RESULT | OPTION(OPT_FRAME) | OPTION(OPT_SECONDS) | OPTION(OPT_ENGINES) |
                   OPTION(OPT_COST) | OPTION(OPT_EFFORT),
        .summary = "time per evaluation of each function",
        .about = "Measures how long each function takes for this model, in nanoseconds: the "
                 "quickest of forty blocks over random states. Jacobians are those of the last "
                 "frame of the longest chain, or of --frame. Derived equations and code that is "
                 "generated and compiled are timed too, but for machines of more than 30 "
                 "freedoms.",
        .keys = "rows: engine, function, ns, calls",
        .example = "bench arm.urdf\nbench arm.urdf --seconds 0.5 --json",
        .note = {{OPT_EFFORT, "How long to search for cheaper equations: not at all, seconds, or "
                              "minutes. Default: 0."}},
        .run = command_bench,
    },
};

enum { COMMANDS = sizeof commands / sizeof *commands };

// --- Help -------------------------------------------------------------------------------------

/// Headings, each before the command that it names.
static const struct {
    const char *first, *title;
} groups[] = {
    {"info", "The machine"},
    {"fk", "At one state, or many"},
    {"simulate", "In time"},
    {"derive", "Equations and code"},
};

static void print_help(FILE *file)
{
    fputs("linkwork: robot mechanisms, from one description to every computation\n\n"
          "usage: linkwork COMMAND MODEL [options]\n\n",
          file);
    for (int i = 0; i < COMMANDS; ++i) {
        for (size_t k = 0; k < sizeof groups / sizeof *groups; ++k) {
            if (strcmp(groups[k].first, commands[i].name) == 0) {
                fprintf(file, "%s:\n", groups[k].title);
            }
        }
        fprintf(file, "  %-12s %s\n", commands[i].name, commands[i].summary);
    }
    fputs("\n"
          "  linkwork COMMAND --help   all about one command\n"
          "  linkwork --version        the version\n\n"
          "MODEL is a file in linkwork XML or URDF, told apart by content. Units are SI,\n"
          "angles are radians.\n\n"
          "Exit codes: 0 good, 1 bad input, 2 bad usage, 3 file or device trouble,\n"
          "4 numeric failure.\n",
          file);
}

// Prints to standard output what `print` writes, or says that it could not.
static int show(void (*print)(const command_def *, FILE *), const command_def *command)
{
    output out;
    if (!output_begin(&out, false)) {
        return complain(EXIT_FILE, "%s", lw_status_text(LW_ERR_MEMORY));
    }
    print(command, out.text);
    return output_finish(&out, EXIT_GOOD);
}

static void print_all(const command_def *command, FILE *file)
{
    (void)command;
    print_help(file);
}

static void print_version(const command_def *command, FILE *file)
{
    (void)command;
    fprintf(file, "linkwork %s\n", lw_version());
}

// --- Start ------------------------------------------------------------------------------------

static const command_def *find_command(const char *name)
{
    for (int i = 0; i < COMMANDS; ++i) {
        if (strcmp(commands[i].name, name) == 0) {
            return &commands[i];
        }
    }
    return NULL;
}

static int unknown_command(const char *name)
{
    lw_nearest near;
    lw_nearest_init(&near, name);
    for (int i = 0; i < COMMANDS; ++i) {
        lw_nearest_offer(&near, commands[i].name);
    }
    char text[SUGGEST_ROOM];
    return complain(EXIT_USAGE, "there is no command \"%s\"%s (all of them: linkwork --help)", name,
                    suggest_text(&near, text));
}

// A result must not take the place of what it was made from, or of another result.
static int check_outputs(const command_def *command, const command_line *args)
{
    static const option_id written[] = {OPT_OUTPUT, OPT_PLOT, OPT_SPECTRUM};
    static const option_id read[] = {OPT_RUN, OPT_STATE};
    enum { OUTPUTS = sizeof written / sizeof *written, INPUTS = sizeof read / sizeof *read };
    for (int i = 0; i < OUTPUTS; ++i) {
        const char *path = args_value(args, written[i]), *other = NULL;
        for (int k = 0; path && k < command->noperand; ++k) {
            other = file_is_same(path, args->operand[k]) ? args->operand[k] : other;
        }
        for (int k = 0; path && k < INPUTS; ++k) {
            for (int n = 0; n < args_count(args, read[k]); ++n) {
                const char *from = args_value_at(args, read[k], n);
                other = file_is_same(path, from) ? from : other;
            }
        }
        for (int k = 0; path && k < i; ++k) {
            const char *before = args_value(args, written[k]);
            other = before && file_is_same(path, before) ? before : other;
        }
        if (other) {
            return complain(EXIT_USAGE, "%s would overwrite %s", option_name(written[i]), other);
        }
    }
    return EXIT_GOOD;
}

static int run(int argc, char *const *argv)
{
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    const char *name = argv[1];
    const bool is_help = strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0;
    if (is_help || (strcmp(name, "help") == 0 && argc == 2)) {
        return show(print_all, NULL);
    }
    if (strcmp(name, "--version") == 0) {
        return show(print_version, NULL);
    }
    if (strcmp(name, "help") == 0) {
        const command_def *command = find_command(argv[2]);
        return command ? show(args_help, command) : unknown_command(argv[2]);
    }
    const command_def *command = find_command(name);
    if (!command) {
        return unknown_command(name);
    }
    command_line args;
    int code = args_parse(&args, command, argc - 2, argv + 2);
    if (code == EXIT_GOOD && args_has(&args, OPT_HELP)) {
        code = show(args_help, command);
    } else if (code == EXIT_GOOD) {
        code = check_outputs(command, &args);
        code = code == EXIT_GOOD ? command->run(&args) : code;
    }
    args_free(&args);
    return code;
}

// A file opened while standard output is closed would become standard output, and get what is meant
// for the screen. A reading end takes its place, to which writing fails as it should.
static bool hold_standard_streams(void)
{
    for (int fd = 0; fd <= 2; ++fd) {
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", O_RDONLY) != fd) {
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    if (!hold_standard_streams()) {
        return EXIT_FILE;
    }
    // A reader that goes away is told by write(), not by silence; so is a file that may not grow,
    // which would else stay behind half written.
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    return run(argc, argv);
}
