/* A machine from a text. Ends with 0 where it has the one joint that the text gives it. */
#include <linkwork/io.h>
#include <linkwork/linkwork.h>

#include <stdio.h>
#include <string.h>

int main(void)
{
    const char *text = "<robot name='r'><link name='base'/><link name='arm'><inertial>"
                       "<mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>"
                       "</inertial></link><joint name='j' type='continuous'><parent link='base'/>"
                       "<child link='arm'/><axis xyz='0 0 1'/></joint></robot>";
    lw_report *report = NULL;
    lw_mech *mech = NULL;
    lw_model *model = NULL;
    int nv = -1, i;
    char line[300];

    if (lw_report_create(&report) == LW_OK &&
        lw_load_text("r.urdf", text, strlen(text), NULL, &mech, report) == LW_OK &&
        lw_compile(mech, NULL, &model, report) == LW_OK) {
        nv = model->nv;
    }
    for (i = 0; i < lw_report_count(report); ++i) {
        const lw_diagnostic diagnostic = lw_report_diagnostic(report, i);
        lw_diagnostic_format(&diagnostic, line, sizeof line);
        printf("%s\n", line);
    }
    lw_model_destroy(model);
    lw_mech_destroy(mech);
    lw_report_destroy(report);
    return nv != 1;
}
