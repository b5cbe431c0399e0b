// Assemblies: descriptions within a description, and the gateways by which they are connected.
#include "edit.h"

#include <string.h>

LWI_NEXT(lwi_gateway, gateway)

// Very large sums stop growing: what matters is that they are above every limit.
static long long add_large(long long a, long long b)
{
    const long long most = 1ll << 60;
    return a > most - b ? most : a + b;
}

static long long multiply_large(long long a, long long b)
{
    const long long most = 1ll << 60;
    return b > 0 && a > most / b ? most : a * b;
}

long long lwi_mech_items(const lw_mech *mech)
{
    const long long own = (long long)mech->part.count + mech->frame.count + mech->shape.count +
                          mech->coupling.count + mech->gear.count + mech->axis_link.count;
    return add_large(mech->inside_items, own);
}

long long lwi_mech_name_bytes(const lw_mech *mech)
{
    return add_large(mech->inside_bytes, mech->name_bytes);
}

static void add_inside(lw_mech *mech, const lwi_part *part)
{
    const lw_mech *inside = as_assembly(part)->inside;
    const long long items = lwi_mech_items(inside), prefix = (long long)strlen(part->name) + 1;
    mech->inside_items = add_large(mech->inside_items, items);
    mech->inside_bytes = add_large(mech->inside_bytes, lwi_mech_name_bytes(inside));
    mech->inside_bytes = add_large(mech->inside_bytes, multiply_large(items, prefix));
}

void lwi_sum_insides(lw_mech *mech)
{
    mech->inside_items = mech->inside_bytes = 0;
    for (int i = 0; i < mech->part.count; ++i) {
        if (mech->part.at[i].kind == LW_PART_ASSEMBLY) {
            add_inside(mech, &mech->part.at[i]);
        }
    }
}

lw_part lwi_assembly_of(const lw_mech *mech, const char *name, const char **rest)
{
    for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
        char text[LWI_NAME_LIMIT + 1];
        const size_t length = (size_t)(slash - name);
        if (length < sizeof text) {
            memcpy(text, name, length);
            text[length] = '\0';
            const lw_part part = lw_find_part(mech, text, LW_PART_ASSEMBLY);
            if (part.index >= 0) {
                *rest = slash + 1;
                return part;
            }
        }
    }
    return no_part;
}

lw_location lw_locate_part(const lw_mech *mech, const char *name, lw_part_kind kind)
{
    while (mech && name) {
        lw_part part = lw_find_part(mech, name, kind);
        if (part.index >= 0) {
            return mech->part.at[part.index].location;
        }
        part = lwi_assembly_of(mech, name, &name);
        mech = part.index >= 0 ? as_assembly(&mech->part.at[part.index])->inside : NULL;
    }
    return (lw_location){0};
}

lw_part lw_add_assembly(lw_mech *mech, const char *name, lw_mech *inside, lw_location location)
{
    if (!lwi_may_edit(mech) || !inside) {
        return no_part;
    }
    if (inside == mech) {
        lwi_refuse(mech, LW_ERR_ARGUMENT, "\"%s\" cannot be an assembly within itself", mech->name);
        return no_part;
    }
    lwi_assembly *assembly = lwi_arena_take(&mech->arena, 1, sizeof *assembly);
    int *connection =
        lwi_arena_take(&mech->arena, (size_t)inside->gateway.count, sizeof *connection);
    if (!assembly || !connection) {
        lwi_edit_no_memory(mech);
        return no_part;
    }
    *assembly = (lwi_assembly){inside, connection};
    const lw_part part = lwi_add_part(mech, LW_PART_ASSEMBLY, assembly, name, location);
    if (part.index >= 0) {
        ++mech->nassembly;
        add_inside(mech, &mech->part.at[part.index]);
        inside->is_frozen = true;
        ++inside->users;
    }
    return part;
}

lw_status lw_expose(lw_mech *mech, lw_port port, const char *gateway)
{
    if (!mech || !gateway) {
        return LW_ERR_ARGUMENT;
    }
    if (!lwi_may_edit(mech)) {
        return LW_ERR_FROZEN;
    }
    if (lwi_port_side_of(mech, port) == LWI_SIDE_NONE) {
        return lwi_refuse(mech, LW_ERR_PORT_UNKNOWN, "gateway \"%s\": there is no such port",
                          gateway);
    }
    if (lwi_names_find(&mech->gateway_names, gateway) >= 0) {
        return lwi_refuse(mech, LW_ERR_NAME, "gateway \"%s\" is given twice", gateway);
    }
    if (!*gateway || strcmp(gateway, "a") == 0) {
        return lwi_refuse(
            mech, LW_ERR_NAME,
            "a gateway needs a name other than \"a\", which is where the assembly is connected");
    }
    lwi_gateway *added = next_gateway(mech);
    const char *kept = lwi_keep_text(mech, gateway);
    if (!added || !kept || !lwi_names_add(&mech->gateway_names, kept, mech->gateway.count)) {
        return lwi_refuse(mech, LW_ERR_MEMORY, "not enough memory");
    }
    *added = (lwi_gateway){kept, port, lwi_port_side_of(mech, port)};
    mech->part.at[port.part.index].is_exposed |= port.index == LWI_PORT_A;
    ++mech->gateway.count;
    return LW_OK;
}
