// linkwork/configure.h: from a declarative specification of a robot, through rules, to a
// description.
//
// Experimental. Real-time safe only where stated; thread safe by const (linkwork/base.h).
//
// A specification is a table of fields, each a path and a text: "class" = "scara",
// "joint2.length" = "0.325", "link1.mass" = "m1". Rules read fields: some complete what was left
// out, others hold, are violated, or cannot be decided as long as a field is unknown. What the
// rules accept becomes a description (linkwork/mech.h), of which everything else follows.
//
// Nothing here reads a file or needs more than the C library, so that a controller can configure
// itself; linkwork/io.h reads specifications and rules from files.
#ifndef LINKWORK_CONFIGURE_H
#define LINKWORK_CONFIGURE_H

#include <linkwork/mech.h>

#ifdef __cplusplus
extern "C" {
#endif

// --- Classes ----------------------------------------------------------------------------------

/// A class of robots.
typedef struct lw_robot_class {
    const char *name;    ///< "scara"
    const char *letters; ///< of its joints, as usual: "RRTR"; "" where none is usual
    bool is_serial;      ///< a chain; else it has loops, and its joints are those with drives
    const char *about;   ///< one sentence
    const char *fields;  ///< of a class with loops: its lengths, and the links in their order
} lw_robot_class;

/// How many classes there are, and one of them; NULL where there is none.
LW_API int lw_class_count(void);
LW_API const lw_robot_class *lw_class_at(int i);

// --- Rules ------------------------------------------------------------------------------------

typedef enum lw_rule_kind {
    LW_RULE_REQUIREMENT = 0, ///< must hold
    LW_RULE_USUAL = 1,       ///< a warning where it is violated
    LW_RULE_COMPLETION = 2   ///< sets a field that is unknown where its condition holds
} lw_rule_kind;

/// A rule. Conditions are written over fields (docs/howto/configure.md):
///
///   principal in 'RRT RTR TRR'
///   parallel(1, 2) and not given(gravity)
///   joint.lower < joint.upper
///
/// with numbers, texts, + - * /, == != < <= > >=, in, and, or, not, and functions. A condition over
/// an unknown field is undecided, unless the rest decides it (Kleene's logic).
typedef struct lw_rule {
    const char *name;
    lw_rule_kind kind;
    const char *classes;   ///< names with blanks between; "serial" for all chains; "" for every one
    const char *each;      ///< "joint" or "link": evaluated for each, as joint.lower; "" for once
    const char *condition; ///< a truth value
    const char *set, *to;  ///< of a completion: the field, and what it becomes
    const char *reason;
    const char *remedy;
} lw_rule;

/// The knowledge base: how many rules there are, and one of them; NULL where there is none.
LW_API int lw_rule_count(void);
LW_API const lw_rule *lw_rule_at(int i);

typedef enum lw_rule_state {
    LW_RULE_UNDECIDED = 0, ///< a field that it reads is unknown
    LW_RULE_HOLDS = 1,
    LW_RULE_VIOLATED = 2
} lw_rule_state;

/// What became of a rule.
typedef struct lw_rule_result {
    const lw_rule *rule;
    lw_rule_state state;
    int index;          ///< of the joint or link, from 1; 0 where the rule is evaluated once
    const char *fields; ///< that it read, with blanks between
    bool is_overridden; ///< violated, but the specification overrides it
    lw_location location;
} lw_rule_result;

// --- Specifications ---------------------------------------------------------------------------

typedef struct lw_spec lw_spec;

/// An empty specification, which knows the rules above. Free with lw_spec_destroy().
LW_API lw_status lw_spec_create(lw_spec **spec);
LW_API void lw_spec_destroy(lw_spec *spec);

/// Sets a field, also one that was set before. Numbers are plain decimals in SI units (angles as
/// the field "angle" has it: radian or degree), or names of symbols, with a sign: "-a1". Joints and
/// links are numbered from 1 as they come.
/// @param location may be all zeros; its file must outlive the specification
/// @return LW_ERR_NAME for a field, class, word or material that is unknown (did you mean),
///         LW_ERR_SYNTAX for a value that is none, LW_ERR_MODEL for a symbol of two meanings,
///         LW_ERR_LIMIT for too many joints; each with a diagnostic
LW_API lw_status lw_spec_set(lw_spec *spec, const char *field, const char *value,
                             lw_location location, lw_report *report);

/// The value of a field as it was set or completed; NULL where it is unknown.
LW_API const char *lw_spec_get(const lw_spec *spec, const char *field);

/// The number of a field with one, in SI units and radians. False where it is unknown, no number,
/// or a symbol without a value.
LW_API bool lw_spec_number(const lw_spec *spec, const char *field, double *number);

/// A field of the specification.
typedef struct lw_spec_entry {
    const char *field, *value;
    const lw_rule *rule; ///< that completed it; NULL where it was set
    lw_location location;
} lw_spec_entry;

/// How many fields are known, and one of them, in the order in which they were set.
LW_API int lw_spec_count(const lw_spec *spec);
LW_API lw_spec_entry lw_spec_at(const lw_spec *spec, int i);

/// A symbol that stands for numbers of the specification.
typedef struct lw_spec_symbol {
    const char *name;
    double value;    ///< as given, or what lw_spec_build() assumes
    bool is_assumed; ///< no value is given
} lw_spec_symbol;

/// How many symbols there are, and one of them, in the order in which fields were set.
LW_API int lw_spec_symbol_count(const lw_spec *spec);
LW_API lw_spec_symbol lw_spec_symbol_at(const lw_spec *spec, int i);

/// Adds a rule of the user's; its texts are copied. LW_ERR_SYNTAX and LW_ERR_NAME for a condition
/// that makes no sense, LW_ERR_NAME for a name that is taken, each with a diagnostic.
LW_API lw_status lw_spec_add_rule(lw_spec *spec, const lw_rule *rule, lw_location location,
                                  lw_report *report);

/// Completes what was left out, and evaluates all rules. Violated requirements are errors,
/// violated usual rules warnings; all of them at once. lw_spec_at() has what was completed, and by
/// which rule.
/// @return LW_ERR_MODEL where a requirement is violated and not overridden
LW_API lw_status lw_spec_check(lw_spec *spec, lw_report *report);

/// The results of the last check: those of rules that concern the class, for each joint or link.
LW_API int lw_spec_result_count(const lw_spec *spec);
LW_API lw_rule_result lw_spec_result(const lw_spec *spec, int i);

/// "undecided", "holds", "violated"; never NULL.
LW_API const char *lw_rule_state_name(lw_rule_state state);

/// Checks, and makes the description. Symbols without a value get one that is reported, so that a
/// model can be computed. Equations in symbols name all parameters by the scheme of lw_symbol_info.
/// @return LW_ERR_MODEL also where the specification is incomplete: each unknown field is named
LW_API lw_status lw_spec_build(lw_spec *spec, lw_mech **mech, lw_report *report);

#ifdef __cplusplus
}
#endif
#endif
