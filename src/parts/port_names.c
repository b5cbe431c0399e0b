// Ports by name: what "part", "part.port" and "kind:part.port" mean. The reader, the writer and
// calls in C share this, so that a text means the same port everywhere.
#include "edit.h"

#include <string.h>

// The first kind, among those requested, whose part of this name has the port.
static int find_with_port(const lwi_port_lookup *lookup, const char *name, const char *port,
                          int first, int last)
{
    for (int kind = first; kind <= last; ++kind) {
        const int part = lookup->find(lookup->context, name, (lw_part_kind)kind);
        if (part >= 0 && lookup->has_port(lookup->context, part, port)) {
            return part;
        }
    }
    return -1;
}

// "part.port" may be read in several ways where names hold dots: the longest part name that fits
// wins. Kinds are tried in turn, so that "x.axis" finds joint x even where a link is called x too.
static lwi_port_ref resolve_among(const lwi_port_lookup *lookup, const char *text,
                                  const char *default_port, int first, int last)
{
    char name[LWI_NAME_LIMIT + 1];
    const size_t length = strlen(text);
    if (length > LWI_NAME_LIMIT) {
        return (lwi_port_ref){-1, default_port};
    }
    memcpy(name, text, length + 1);
    for (char *dot = strrchr(name, '.'); dot; dot = strrchr(name, '.')) {
        *dot = '\0';
        const char *port = text + (dot - name) + 1;
        const int part = find_with_port(lookup, name, port, first, last);
        if (part >= 0) {
            return (lwi_port_ref){part, port};
        }
    }
    const int part = default_port ? find_with_port(lookup, text, default_port, first, last) : -1;
    return (lwi_port_ref){part, default_port};
}

lwi_port_ref lwi_resolve_port(const lwi_port_lookup *lookup, const char *text,
                              const char *default_port)
{
    const char *colon = strchr(text, ':');
    for (int kind = LWI_FIRST_KIND; colon && kind < LWI_KIND_COUNT; ++kind) {
        const char *word = lw_part_kind_name((lw_part_kind)kind);
        if (strlen(word) == (size_t)(colon - text) &&
            strncmp(word, text, (size_t)(colon - text)) == 0) {
            const lwi_port_ref ref = resolve_among(lookup, colon + 1, default_port, kind, kind);
            if (ref.part >= 0) {
                return ref;
            }
        }
    }
    return resolve_among(lookup, text, default_port, LWI_FIRST_KIND, LWI_KIND_COUNT - 1);
}

lw_part lw_find_part(const lw_mech *mech, const char *name, lw_part_kind kind)
{
    int index = -1;
    for (int k = LWI_FIRST_KIND; k < LWI_KIND_COUNT && mech && name && index < 0; ++k) {
        index = kind == LW_PART_ANY || (int)kind == k ? lwi_names_find(&mech->names[k], name) : -1;
    }
    return (lw_part){index};
}

int lwi_find_part_of_kind(const void *mech, const char *name, lw_part_kind kind)
{
    return lwi_names_find(&((const lw_mech *)mech)->names[kind], name);
}

static bool has_port(const void *mech, int part, const char *port)
{
    return lw_port_of(mech, (lw_part){part}, port).index >= 0;
}

// The port that a text means, with `default_port` where it names a part alone; null for none.
static lw_port find_port(const lw_mech *mech, const char *text, const char *default_port)
{
    const lwi_port_lookup lookup = {mech, lwi_find_part_of_kind, has_port};
    const lwi_port_ref ref = lwi_resolve_port(&lookup, text, default_port);
    if (ref.part >= 0) {
        return lw_port_of(mech, (lw_part){ref.part}, ref.port);
    }
    // A frame whose name is unique needs no part; it is a B port.
    const bool may_be_frame = !default_port || strcmp(default_port, "b") == 0;
    const int frame = may_be_frame ? lwi_names_find(&mech->frame_names, text) : -1;
    if (frame > 0) {
        const lwi_part_frame *f = &mech->frame.at[frame - 1];
        return (lw_port){{f->part}, f->port};
    }
    return no_port;
}

lw_port lw_find_port(const lw_mech *mech, const char *name)
{
    return mech && name ? find_port(mech, name, NULL) : no_port;
}

// The text before the first `end`, where it is short enough for a name.
static bool text_before(const char *name, char end, char text[LWI_NAME_LIMIT + 1])
{
    const char *found = strchr(name, end);
    if (!found || found - name > LWI_NAME_LIMIT) {
        return false;
    }
    memcpy(text, name, (size_t)(found - name));
    text[found - name] = '\0';
    return true;
}

// Ports that parts have without being given a name.
static const char *const own_port[] = {"a", "b", "a1", "a2", "axis", "in", "out", "in1", "out1"};
enum { NOWN_PORT = sizeof own_port / sizeof *own_port };

static void offer_ports(const lw_mech *mech, lw_part part, lw_nearest *nearest)
{
    const lwi_part *p = &mech->part.at[part.index];
    for (int i = 0; i < p->nframe; ++i) {
        lw_nearest_offer(nearest, mech->frame.at[p->frames[i]].name);
    }
    const lw_mech *inside = p->kind == LW_PART_ASSEMBLY ? as_assembly(p)->inside : NULL;
    for (int i = 0; inside && i < inside->gateway.count; ++i) {
        lw_nearest_offer(nearest, inside->gateway.at[i].name);
    }
    for (int i = 0; i < NOWN_PORT; ++i) {
        if (has_port(mech, part.index, own_port[i])) {
            lw_nearest_offer(nearest, own_port[i]);
        }
    }
}

// What may be meant by a name that is none: a port of the part that it names, else a frame or a
// part.
static const char *suggest_port(lw_mech *mech, const char *name)
{
    char stem[LWI_NAME_LIMIT + 1];
    lw_nearest nearest;
    lw_nearest_init(&nearest, name);
    if (mech->suggestions++ >= LWI_SUGGESTIONS) {
        return NULL;
    }
    const lw_part part =
        text_before(name, '.', stem) ? lw_find_part(mech, stem, LW_PART_ANY) : no_part;
    if (part.index >= 0) {
        lw_nearest_init(&nearest, name + strlen(stem) + 1);
        offer_ports(mech, part, &nearest);
        return nearest.best;
    }
    for (int i = 0; i < mech->frame.count; ++i) {
        lw_nearest_offer(&nearest, mech->frame.at[i].name);
    }
    if (strchr(name, '.')) {
        lw_nearest_init(&nearest, text_before(name, '.', stem) ? stem : name);
    }
    for (int i = 0; i < mech->part.count; ++i) {
        lw_nearest_offer(&nearest, mech->part.at[i].name);
    }
    return nearest.best;
}

// Refuses a name that is no port; `other` is what it was to be connected with.
static lw_status refuse_name(lw_mech *mech, const char *name, const char *other)
{
    char outer[LWI_NAME_LIMIT + 1];
    if (text_before(name, '/', outer) && lw_find_part(mech, outer, LW_PART_ASSEMBLY).index >= 0) {
        return lwi_refuse(mech, LW_ERR_PORT_PROTECTED,
                          "\"%s\", to be connected with \"%s\", is inside assembly \"%s\", which "
                          "is reached through its gateways only",
                          name, other, outer);
    }
    const lw_part part = lw_find_part(mech, name, LW_PART_ANY);
    for (int i = 0; i < NOWN_PORT && part.index >= 0; ++i) {
        if (has_port(mech, part.index, own_port[i])) {
            return lwi_refuse(mech, LW_ERR_PORT_UNKNOWN,
                              "%s \"%s\", to be connected with \"%s\", needs the name of a port, "
                              "as \"%s.%s\"",
                              lw_part_kind_name(mech->part.at[part.index].kind), name, other, name,
                              own_port[i]);
        }
    }
    const char *meant = suggest_port(mech, name);
    return lwi_refuse(mech, LW_ERR_PORT_UNKNOWN,
                      "there is no port \"%s\" to be connected with \"%s\"%s%s%s", name, other,
                      meant ? "; did you mean \"" : "", meant ? meant : "", meant ? "\"?" : "");
}

static bool fit(const lw_mech *mech, lw_port one, lw_port other)
{
    const lwi_port_side s1 = lwi_port_side_of(mech, one), s2 = lwi_port_side_of(mech, other);
    return (s1 == LWI_SIDE_AXIS) == (s2 == LWI_SIDE_AXIS) && (s1 == LWI_SIDE_AXIS || s1 != s2);
}

// Connects or disconnects two ports by name. A part without a port means its b where the other end
// is an A port, its a where that is a B port, and its axis where that is an axis; of two such parts
// the first carries the second.
static lw_status edit_named(lw_mech *mech, const char *one, const char *other,
                            lw_status (*edit)(lw_mech *mech, lw_port one, lw_port other))
{
    static const char *const port[3][2] = {{"b", "a"}, {"a", "b"}, {"axis", "axis"}};
    if (!mech) {
        return LW_ERR_ARGUMENT;
    }
    if (!one || !other) {
        return lwi_refuse(mech, LW_ERR_ARGUMENT, "the name of a port is null");
    }
    mech->message[0] = '\0';
    lw_port found[2] = {no_port, no_port};
    bool is_known[2] = {false, false};
    for (int i = 0; i < 3; ++i) {
        const lw_port p = find_port(mech, one, port[i][0]), r = find_port(mech, other, port[i][1]);
        is_known[0] |= p.index >= 0;
        is_known[1] |= r.index >= 0;
        if (p.index >= 0 && r.index >= 0) {
            if (fit(mech, p, r)) {
                return edit(mech, p, r);
            }
            found[0] = found[0].index < 0 ? p : found[0];
            found[1] = found[1].index < 0 ? r : found[1];
        }
    }
    if (found[0].index >= 0) {
        return edit(mech, found[0], found[1]); // which says why they do not fit
    }
    return !is_known[0] ? refuse_name(mech, one, other) : refuse_name(mech, other, one);
}

lw_status lw_connect_named(lw_mech *mech, const char *one, const char *other)
{
    return edit_named(mech, one, other, lw_connect);
}

lw_status lw_disconnect_named(lw_mech *mech, const char *one, const char *other)
{
    return edit_named(mech, one, other, lw_disconnect);
}
