// The wheels of a model, and how free they leave it.

#include "report/explain.h"

#include <linkwork/wheels.h>

typedef struct mobility {
    lw_wheels *wheels;
    lw_wheels_info info;
    lw_mobility degrees;
    bool is_known;
} mobility;

static mobility find_mobility(const lw_model *m)
{
    mobility found = {0};
    lw_data *d = NULL;
    if (lw_data_create(m, &d) == LW_OK && lw_wheels_create(m, &found.wheels) == LW_OK) {
        found.info = lw_wheels_describe(found.wheels);
        found.is_known =
            lw_wheel_mobility(m, d, found.wheels, m->q_reference, &found.degrees) == LW_OK;
    }
    lw_data_destroy(d);
    return found;
}

static const char *steering_text(const lw_wheel_info *wheel)
{
    return wheel->steering == LW_STEERING_DRIVEN   ? "driven"
           : wheel->steering == LW_STEERING_CASTOR ? "castor"
                                                   : "none";
}

void explain_wheels_json(output *out, const lw_model *m)
{
    if (m->nwheel == 0) {
        return;
    }
    mobility found = find_mobility(m);
    json_t *object = output_object(out), *list = output_array(out), *joints = output_array(out);
    for (int k = 0; k < m->nwheel; ++k) {
        const lw_wheel_info *wheel = &m->wheel[k];
        output_put(out, output_item(out, list), "wheel s, axle s, radius f, steering s",
                   wheel->name, m->tree_velocity_name[wheel->axle], wheel->radius,
                   steering_text(wheel));
    }
    for (int k = 0; k < found.info.npassive; ++k) {
        output_append(out, joints, output_text(out, m->velocity_name[found.info.passive[k]]));
    }
    output_put(out, object, "base s, wheels o, passive o",
               explain_body_name(m, found.info.base_body), list, joints);
    if (found.is_known) {
        output_put(out, object, "mobility d, steerability d", found.degrees.mobility,
                   found.degrees.steerability);
    }
    output_set(out, out->json, "wheels", object);
    lw_wheels_destroy(found.wheels);
}

void explain_wheels_text(output *out, const lw_model *m)
{
    if (m->nwheel == 0) {
        return;
    }
    mobility found = find_mobility(m);
    fprintf(out->text, "\nwheels: %d on %s\n", m->nwheel,
            explain_body_name(m, found.info.base_body));
    for (int k = 0; k < m->nwheel; ++k) {
        const lw_wheel_info *wheel = &m->wheel[k];
        fprintf(out->text, "  %s: axle %s", wheel->name, m->tree_velocity_name[wheel->axle]);
        if (wheel->steer >= 0) {
            fprintf(out->text, ", steering %s%s", m->tree_velocity_name[wheel->steer],
                    wheel->steering == LW_STEERING_CASTOR ? " (castor)" : "");
        }
        fputc('\n', out->text);
    }
    for (int k = 0; k < found.info.npassive; ++k) {
        fprintf(out->text, "%s%s%s", k == 0 ? "  passive joints: " : ", ",
                m->velocity_name[found.info.passive[k]], k + 1 == found.info.npassive ? "\n" : "");
    }
    if (found.is_known) {
        fprintf(out->text, "  degree of mobility %d, degree of steerability %d\n",
                found.degrees.mobility, found.degrees.steerability);
    }
    lw_wheels_destroy(found.wheels);
}
