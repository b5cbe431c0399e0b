// A specification from the inside: fields, values, and what conditions see of them.
//
//   spec_fields.c  which fields there are, and how their values are read
//   spec.c         the table of fields
//   classes.c      classes of robots, and what is usual for them
//   rules.c        the knowledge base
//   condition.c    evaluates a condition
//   chain_axes.c   axes of a chain at its zero position
//   check.c        completions, then all rules
//   masses.c       masses from shapes and materials
//   build.c        the description of a chain
//   build_loops.c  those of the classes with loops, from tables of parts
#ifndef LWI_SPEC_H
#define LWI_SPEC_H

#include <linkwork/configure.h>

#include "../base/arena.h"
#include "../base/name_table.h"
#include "../base/report.h"

enum {
    LWI_SPEC_JOINTS = 64,     ///< most joints, links, and shapes of a link
    LWI_SPEC_PATH = 80,       ///< bytes of a path
    LWI_SPEC_NUMBERS = 6,     ///< most numbers of a value
    LWI_SPEC_FIELDS = 20000,  ///< most fields
    LWI_SPEC_RULES = 1000,    ///< most rules of a user
    LWI_SPEC_CONDITION = 2000 ///< bytes of a condition
};

/// What a value is.
typedef enum lwi_value_kind {
    LWI_VALUE_TEXT,    ///< anything that is not empty
    LWI_VALUE_WORD,    ///< one of a list
    LWI_VALUE_LETTERS, ///< R, T; P is read as T
    LWI_VALUE_AXIS,    ///< x, -y, ..., or three numbers
    LWI_VALUE_NUMBER   ///< numbers of a quantity
} lwi_value_kind;

/// The quantity of a number: its unit, for messages, and so that a symbol has one meaning.
typedef enum lwi_quantity {
    LWI_PLAIN,
    LWI_LENGTH,
    LWI_ANGLE,
    LWI_POSITION,     ///< of a joint: an angle or a length
    LWI_SPEED,        ///< likewise, per second
    LWI_ACCELERATION, ///< likewise, per second squared
    LWI_MASS,
    LWI_INERTIA,
    LWI_FORCE,
    LWI_TIME,
    LWI_FREQUENCY,
    LWI_DENSITY,
    LWI_GRAVITY,
    LWI_ROTATION, ///< of a motor, per second
    LWI_QUANTITIES
} lwi_quantity;

/// A kind of field. '#' in the path stands for a number from 1, '*' for a name.
typedef struct lwi_field_kind {
    const char *path;
    lwi_value_kind kind;
    lwi_quantity quantity;
    int least, most;   ///< numbers of the value
    const char *words; ///< of a word, with blanks between; "class", "material" for those tables
} lwi_field_kind;

typedef struct lwi_field {
    const char *path, *text;
    const lwi_field_kind *kind;
    int nnumber;
    double number[LWI_SPEC_NUMBERS];      ///< as written, or 1 or -1 for a symbol
    const char *symbol[LWI_SPEC_NUMBERS]; ///< or NULL
    const lw_rule *rule;                  ///< that completed it
    lw_location at;
    bool is_known; ///< false after a completion was taken back
} lwi_field;

struct lw_spec {
    lwi_arena arena;
    lwi_names names; ///< paths to numbers of fields
    lwi_field *field;
    int nfield, field_room;
    int njoint, nlink;
    const lw_rule **rule; ///< the user's
    int nrule, rule_room;
    lw_rule_result *result;
    int nresult, result_room;
    bool assumes; ///< symbols without a value have one: while a description is made
    bool is_short;
};

// --- Fields -----------------------------------------------------------------------------------

/// The kind of a field by its path; NULL where there is none.
const lwi_field_kind *lwi_field_kind_of(const char *path);
int lwi_field_kind_count(void);
const lwi_field_kind *lwi_field_kind_at(int i);

/// Reads a value into a field whose kind and location are set.
lw_status lwi_field_read(lw_spec *spec, lwi_field *field, const char *value, lw_report *report);

/// The field of a path where it is known, else NULL.
const lwi_field *lwi_spec_find(const lw_spec *spec, const char *path);

/// "joint2.axis" of "joint", 2 and "axis".
const char *lwi_spec_path(char path[LWI_SPEC_PATH], const char *what, int index, const char *name);

/// Number k of a field, in SI units and radians; false where it is not known.
bool lwi_field_number(const lw_spec *spec, const lwi_field *field, int k, double *number);

/// The numbers of a field; false where one of them is not known, or there are fewer.
bool lwi_spec_numbers(const lw_spec *spec, const char *path, int count, double *number);

/// Whether joint i, from 1, slides; false too where its type is unknown.
bool lwi_spec_slides(const lw_spec *spec, int joint);

/// Sets a field as a rule's completion.
lw_status lwi_spec_complete(lw_spec *spec, const char *path, const char *value, const lw_rule *rule,
                            lw_report *report);

/// What the numbers of a field are in SI units and radians, for one as it is written.
double lwi_field_unit(const lw_spec *spec, const char *path);

/// Forgets all completions.
void lwi_spec_restart(lw_spec *spec);

/// Density of a material; 0 where it is unknown. The names, for messages.
double lwi_density(const char *material);
const char *lwi_material_name(int i);

// --- Classes and rules ------------------------------------------------------------------------

/// The class of a specification, or NULL.
const lw_robot_class *lwi_spec_class(const lw_spec *spec);

/// What is usual for joint i of a class: its axis, the directions of length and offset from the
/// joint before, and whether the class needs that length; false where nothing is.
typedef struct lwi_usual_joint {
    const char *axis, *length, *offset;
    bool needs_length;
} lwi_usual_joint;
bool lwi_usual(const lw_spec *spec, int joint, lwi_usual_joint *usual);

/// The axis of joint i at the zero position, its direction and a point on it, in the base's frame;
/// false where a field that it needs is unknown.
bool lwi_chain_axis(const lw_spec *spec, int joint, lw_vec3 *direction, lw_vec3 *point);

/// The placements of a row of Denavit and Hartenberg of joint i.
bool lwi_chain_row(const lw_spec *spec, int joint, lw_placement *before, lw_placement *after);

/// What a condition, or what a completion sets, comes to.
typedef enum lwi_truth_kind { LWI_UNKNOWN, LWI_NUMBER, LWI_TRUTH, LWI_WORDS } lwi_truth_kind;
typedef struct lwi_result {
    lwi_truth_kind kind;
    double number;     ///< or 1 and 0 of a truth value
    const char *words; ///< of the specification, the condition or the context
    int length;        ///< of the words
} lwi_result;

/// Where an evaluation happens, and what it saw.
typedef struct lwi_context {
    const lw_spec *spec;
    const char *each; ///< "joint", "link" or ""
    int index;        ///< of that, from 1
    char *fields;     ///< paths that were read, with blanks between; NULL to keep none
    size_t room;
    lw_location at;    ///< of the last of them that was set by the user
    char message[160]; ///< what is wrong with the condition
    int column;        ///< bytes from its begin
    char scratch[200]; ///< words that a function made
} lwi_context;

/// The whole path of one in a rule: "joint2.lower" of "joint.lower"; false where it is too long.
bool lwi_full_path(const lwi_context *context, const char *name, size_t length,
                   char path[LWI_SPEC_PATH]);

/// Evaluates a condition. False where it makes no sense: the context has the message.
bool lwi_evaluate(lwi_context *context, const char *condition, lwi_result *result);

// --- Masses and descriptions ------------------------------------------------------------------

/// Mass, centre and tensor of the shapes of a link; false where it has none, or a field is unknown.
bool lwi_shape_masses(const lw_spec *spec, int link, double *mass, lw_vec3 *center,
                      lw_sym3 *inertia);

/// What a builder works with.
typedef struct lwi_builder {
    lw_spec *spec;
    lw_mech *mech;
    lw_report *report;
    lw_status status;    ///< the first failure
    lw_location at;      ///< of the class, where all that is incomplete is reported
    double reference[2]; ///< of dependent joints, as a class with loops finds them
} lwi_builder;

/// A number that must be known; reported where it is not.
double lwi_build_number(lwi_builder *b, const char *path);

/// Adds the joint, the link or the shapes number i as the fields describe them; name where the
/// specification has none.
lw_joint_def lwi_build_joint_def(lwi_builder *b, int joint, const char *name);
lw_part lwi_build_link(lwi_builder *b, int link, const char *name, const lw_placement *end);
void lwi_build_drive(lwi_builder *b, int joint, lw_part part);

/// Adds the tool to port b of the last link, and to a robot without one its frame.
void lwi_build_tool(lwi_builder *b, lw_part last, const lw_placement *end);

/// Connects port b, or a frame, of one part with port a of another.
void lwi_build_connect(lwi_builder *b, lw_part from, const char *port, lw_part to, const char *a);

/// Fails where memory is short.
bool lwi_build_has(lwi_builder *b, bool is_there);

/// Adds what a class with loops consists of.
void lwi_build_loops(lwi_builder *b, const char *class_name);

#endif
