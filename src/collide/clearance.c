// The smallest distance of the links as a row of constraints.
#include <linkwork/clearance.h>

#include <math.h>
#include <stdlib.h>

#define ALONE 1e9 // m: where no pair is checked

struct lw_clearance {
    lw_collide *collide;
    lw_data *d;
    double most;
};

lw_status lw_clearance_create(const lw_model *m, lw_collide *collide, double most,
                              lw_clearance **clearance)
{
    if (!clearance) {
        return LW_ERR_ARGUMENT;
    }
    *clearance = NULL;
    if (!m || !collide || isnan(most)) {
        return LW_ERR_ARGUMENT;
    }
    lw_clearance *c = calloc(1, sizeof *c);
    const lw_status status = c ? lw_data_create(m, &c->d) : LW_ERR_MEMORY;
    if (status != LW_OK) {
        free(c);
        return status;
    }
    c->collide = collide;
    c->most = fmin(most, ALONE);
    *clearance = c;
    return LW_OK;
}

void lw_clearance_destroy(lw_clearance *clearance)
{
    if (clearance) {
        lw_data_destroy(clearance->d);
        free(clearance);
    }
}

// dd/dq = n . (velocity of the point of the second link - that of the first).
static lw_status evaluate(void *self, const lw_constraint_state *at, double *value, double *J)
{
    lw_clearance *c = self;
    lw_contact near;
    const lw_status found = lw_collide_nearest(c->collide, c->d, at->q, &near);
    const bool is_near = found == LW_OK && near.pair >= 0 && near.distance.distance < c->most;
    value[0] = is_near ? near.distance.distance : c->most;
    if (found != LW_OK || !J || !is_near) {
        return found;
    }
    const lw_collide_pair *pair = &lw_collide_describe(c->collide)->pair[near.pair];
    const lw_vec3 n = near.distance.normal, none = {0.0, 0.0, 0.0};
    const lw_status status =
        lw_constraint_add_row(at, pair->frame[1], -1, near.distance.point[1], none, n, J);
    return status == LW_OK ? lw_constraint_add_row(at, pair->frame[0], -1, near.distance.point[0],
                                                   none, lw_scale3(-1.0, n), J)
                           : status;
}

const lw_constraint_kind *lw_clearance_kind(void)
{
    static const lw_constraint_kind kind = {"clearance", evaluate};
    return &kind;
}
