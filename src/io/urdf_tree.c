// Whether links and joints make one tree, and whether what mimics what has an end.
//
// Both are forests in which each element knows at most one other: the link above, the joint
// followed. Walking up from each element, once over all of them, finds the circles.
#include "urdf.h"

typedef int (*next_of)(const lwi_urdf_reader *reader, int i);

static int link_above(const lwi_urdf_reader *reader, int i)
{
    const int joint = reader->link[i].parent_joint;
    return joint < 0 ? -1 : reader->joint[joint].parent;
}

static int joint_followed(const lwi_urdf_reader *reader, int i)
{
    return reader->joint[i].mimics;
}

// An element of the first circle that is reached from element i; -1 where the walk ends. `walk`
// holds, for each element, the number of the walk that came by first, counted from 1.
static int find_circle(const lwi_urdf_reader *reader, next_of next, int i, int *walk)
{
    const int number = i + 1;
    while (i >= 0 && walk[i] == 0) {
        walk[i] = number;
        i = next(reader, i);
    }
    return i >= 0 && walk[i] == number ? i : -1;
}

static void report_cycle(lwi_urdf_reader *reader, int link)
{
    char clip[3][LWI_CLIP_SIZE];
    const lwi_urdf_joint *last = &reader->joint[reader->link[link].parent_joint];
    const int above = last->parent;
    const lwi_urdf_joint *other = &reader->joint[reader->link[above].parent_joint];
    lwi_urdf_good(reader, lwi_report_error(
                              reader->report, last->child_at, LW_ERR_MODEL,
                              "link \"%s\" is connected to itself: joint \"%s\" closes a cycle, of "
                              "which joint \"%s\" at %d:%d is part too",
                              lwi_clip(reader->link[link].name, clip[0]),
                              lwi_clip(last->name, clip[1]), lwi_clip(other->name, clip[2]),
                              other->child_at.line, other->child_at.column));
}

static void report_mimic_circle(lwi_urdf_reader *reader, int i)
{
    char clip[2][LWI_CLIP_SIZE];
    const lwi_urdf_joint *joint = &reader->joint[i];
    const lwi_urdf_joint *source = &reader->joint[joint->mimics];
    if (joint == source) {
        lwi_urdf_good(reader, lwi_report_error(reader->report, joint->mimics_at, LW_ERR_MODEL,
                                               "joint \"%s\", at %d:%d, mimics itself",
                                               lwi_clip(joint->name, clip[0]), joint->node->at.line,
                                               joint->node->at.column));
        return;
    }
    lwi_urdf_good(reader,
                  lwi_report_error(reader->report, joint->mimics_at, LW_ERR_MODEL,
                                   "joint \"%s\" mimics itself in a circle: it follows joint "
                                   "\"%s\", whose own <mimic> is at %d:%d",
                                   lwi_clip(joint->name, clip[0]), lwi_clip(source->name, clip[1]),
                                   source->mimics_at.line, source->mimics_at.column));
}

// A robot has one link that is connected to nothing.
static void check_root(lwi_urdf_reader *reader)
{
    char clip[2][LWI_CLIP_SIZE];
    const lwi_urdf_link *root = NULL;
    for (int i = 0; i < reader->nlink; ++i) {
        const lwi_urdf_link *link = &reader->link[i];
        if (link->parent_joint >= 0) {
            continue;
        }
        if (root) {
            lwi_urdf_good(reader, lwi_report_error(
                                      reader->report, link->node->at, LW_ERR_MODEL,
                                      "link \"%s\" is connected to nothing, and so is link \"%s\" "
                                      "at %d:%d: a robot has one root",
                                      lwi_clip(link->name, clip[0]), lwi_clip(root->name, clip[1]),
                                      root->node->at.line, root->node->at.column));
        } else {
            root = link;
        }
    }
}

void lwi_urdf_check_tree(lwi_urdf_reader *reader)
{
    const int most = reader->nlink > reader->njoint ? reader->nlink : reader->njoint;
    if (reader->status == LW_ERR_MEMORY) {
        return;
    }
    // Zeroed twice over: one array for the links, one for the joints.
    int *walk = lwi_arena_take(&reader->arena, (size_t)most, 2 * sizeof *walk);
    if (!walk) {
        lwi_urdf_good(reader, LW_ERR_MEMORY);
        return;
    }
    for (int i = 0; i < reader->nlink; ++i) {
        const int link = find_circle(reader, link_above, i, walk);
        if (link >= 0) {
            report_cycle(reader, link);
        }
    }
    for (int i = 0; i < reader->njoint; ++i) {
        const int joint = find_circle(reader, joint_followed, i, walk + most);
        if (joint >= 0) {
            report_mimic_circle(reader, joint);
        }
    }
    // A joint that was refused leaves roots behind, which would only repeat the message.
    if (reader->status == LW_OK) {
        check_root(reader);
    }
}
