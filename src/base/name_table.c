#include "name_table.h"

#include <string.h>

struct lwi_name_slot {
    const char *name; ///< null: never used
    uint64_t hash;
    int value;
    bool is_removed;
};

uint64_t lwi_hash_bytes(uint64_t seed, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    uint64_t hash = seed;
    for (size_t i = 0; i < size; ++i) {
        hash = (hash ^ byte[i]) * 1099511628211u;
    }
    return hash;
}

// FNV leaves its low bits poorly mixed for texts that differ in their last letters only.
static uint64_t hash_name(const char *name)
{
    uint64_t hash = lwi_hash_bytes(LWI_HASH_SEED, name, strlen(name));
    hash ^= hash >> 32;
    hash *= 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 29);
}

void lwi_names_init(lwi_names *names, lwi_arena *arena)
{
    *names = (lwi_names){.arena = arena};
}

static struct lwi_name_slot *find_slot(const lwi_names *names, const char *name, uint64_t hash)
{
    for (size_t i = hash & (names->nslot - 1);; i = (i + 1) & (names->nslot - 1)) {
        struct lwi_name_slot *slot = &names->slot[i];
        if (!slot->name || (slot->hash == hash && strcmp(slot->name, name) == 0)) {
            return slot;
        }
    }
}

static bool grow(lwi_names *names, size_t nslot)
{
    lwi_names larger = {.arena = names->arena, .nslot = nslot};
    larger.slot = lwi_arena_take(names->arena, larger.nslot, sizeof *larger.slot);
    if (!larger.slot) {
        return false;
    }
    for (size_t i = 0; i < names->nslot; ++i) {
        const struct lwi_name_slot *old = &names->slot[i];
        if (old->name && !old->is_removed) {
            *find_slot(&larger, old->name, old->hash) = *old;
            ++larger.used;
        }
    }
    *names = larger;
    return true;
}

bool lwi_names_reserve(lwi_names *names, size_t count)
{
    size_t nslot = 16;
    while (nslot < 2 * (count + 1)) {
        nslot *= 2;
    }
    return nslot <= names->nslot || grow(names, nslot);
}

bool lwi_names_add(lwi_names *names, const char *name, int value)
{
    if (2 * (names->used + 1) > names->nslot &&
        !grow(names, names->nslot ? 2 * names->nslot : 16)) {
        return false;
    }
    const uint64_t hash = hash_name(name);
    struct lwi_name_slot *slot = find_slot(names, name, hash);
    names->used += !slot->name;
    *slot = (struct lwi_name_slot){name, hash, value, false};
    return true;
}

int lwi_names_find(const lwi_names *names, const char *name)
{
    if (!names->nslot) {
        return -1;
    }
    const struct lwi_name_slot *slot = find_slot(names, name, hash_name(name));
    return slot->name && !slot->is_removed ? slot->value : -1;
}

void lwi_names_remove(lwi_names *names, const char *name)
{
    if (names->nslot) {
        struct lwi_name_slot *slot = find_slot(names, name, hash_name(name));
        slot->is_removed = slot->name != NULL;
    }
}

enum { LONGEST_COMPARED = 64 }; ///< letters; longer names are compared by their first ones

static int at_most(int a, int b)
{
    return a < b ? a : b;
}

// Restricted edit distance (Damerau 1964) by rows; three rows are enough to see swaps.
int lwi_name_distance(const char *a, const char *b, int limit)
{
    const int na = at_most((int)strnlen(a, LONGEST_COMPARED), LONGEST_COMPARED);
    const int nb = at_most((int)strnlen(b, LONGEST_COMPARED), LONGEST_COMPARED);
    if (na - nb > limit || nb - na > limit) {
        return limit;
    }
    int rows[3][LONGEST_COMPARED + 1];
    int *older = rows[0], *old = rows[1], *row = rows[2];
    int least_before = 0;
    for (int j = 0; j <= nb; ++j) {
        old[j] = j;
        older[j] = j;
    }
    for (int i = 1; i <= na; ++i) {
        row[0] = i;
        int least = i;
        for (int j = 1; j <= nb; ++j) {
            row[j] = old[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = at_most(row[j], at_most(old[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = at_most(row[j], older[j - 2] + 1);
            }
            least = at_most(least, row[j]);
        }
        // A swap reaches back two rows and costs one, so two rows in a row decide.
        if (least >= limit && least_before >= limit) {
            return limit;
        }
        least_before = least;
        int *spare = older;
        older = old;
        old = row;
        row = spare;
    }
    return at_most(old[nb], limit);
}

// Words for one thing: those of this library, of other formats and of the literature.
static const char *const synonyms[] = {
    "revolute hinge pin rotary rotational continuous",
    "prismatic slide slider linear translational",
    "spherical ball",
    "free floating freejoint",
    "fixed weld rigid",
    "universal hooke cardan",
    "screw helical",
    "link body segment",
    "frame site tcp ee end-effector",
    "center com cog",
    "inertia tensor diaginertia fullinertia",
    "from parent",
    "to child",
    "xyz pos position translation origin",
    "rpy euler",
    "quat quaternion orientation",
    "friction frictionloss coulomb",
    "rotor_inertia armature",
    "lower min range",
    "upper max range",
    "max_force torque force forcerange",
    "reference ref home",
    "dependent passive",
    "drive motor actuator",
    "gearbox transmission reducer",
    "coupling mimic equality",
    "spring tendon damper",
    "fk forward-kinematics kinematics forward",
    "id inverse-dynamics rnea inverse",
    "fd forward-dynamics aba",
    "mass crba inertia mass-matrix",
    "check validate lint",
    "draw view show render",
    "generate codegen",
    "convert export save",
    "simulate integrate",
    "time seconds duration",
    "step dt timestep",
    "method integrator solver",
    "accuracy tolerance tol eps",
    "stops limits",
    "q positions position",
    "v velocities velocity qd",
    "a accelerations acceleration qdd",
    "t tau torques torque forces",
};

static bool has_word(const char *list, const char *word, size_t length)
{
    for (const char *at = strstr(list, word); at; at = strstr(at + 1, word)) {
        if ((at == list || at[-1] == ' ') && (at[length] == '\0' || at[length] == ' ')) {
            return true;
        }
    }
    return false;
}

static bool are_synonyms(const char *one, const char *other)
{
    const size_t n1 = strlen(one), n2 = strlen(other);
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms && n1 > 0 && n2 > 0; ++i) {
        if (has_word(synonyms[i], other, n2) && has_word(synonyms[i], one, n1)) {
            return true;
        }
    }
    return false;
}

// A third of the letters may be wrong and one more, three at most, and never all of them: "x" is no
// misspelling of "y". Dashes before options of the program do not count.
void lw_nearest_init(lw_nearest *nearest, const char *wanted)
{
    if (!nearest) {
        return;
    }
    wanted = wanted ? wanted + strspn(wanted, "-") : "";
    const int length = (int)strnlen(wanted, LONGEST_COMPARED);
    *nearest = (lw_nearest){.wanted = wanted, .distance = 2 + at_most(2, length / 3)};
}

void lw_nearest_offer(lw_nearest *nearest, const char *candidate)
{
    enum { MOST_OFFERS = 20000, SHORTEST_PART = 3 };
    if (!nearest || !candidate || ++nearest->offers > MOST_OFFERS) {
        return;
    }
    const char *name = candidate + strspn(candidate, "-");
    const int length = (int)strnlen(name, LONGEST_COMPARED);
    int distance = lwi_name_distance(nearest->wanted, name, nearest->distance);
    // "elbow" may well mean "elbow_joint", where nothing is nearer.
    if (!nearest->best && distance == nearest->distance &&
        strlen(nearest->wanted) >= SHORTEST_PART && strstr(name, nearest->wanted)) {
        --distance;
    }
    const bool is_synonym =
        distance > 0 && nearest->distance > 1 && are_synonyms(nearest->wanted, name);
    distance = is_synonym ? 1 : distance;
    if (distance < nearest->distance && (distance < length || is_synonym)) {
        nearest->distance = distance;
        nearest->best = candidate;
    }
}
