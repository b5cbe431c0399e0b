#include "distance_fcl.h"

#include <fcl/fcl.h>

#include <memory>
#include <vector>

struct fcl_solid {
    std::unique_ptr<fcl::CollisionGeometryd> geometry;
};

namespace
{

fcl::Transform3d transform_of(const lw_pose *X)
{
    fcl::Transform3d t = fcl::Transform3d::Identity();
    for (int i = 0; i < 3; ++i) {
        t.linear().row(i) << X->R.row[i].x, X->R.row[i].y, X->R.row[i].z;
    }
    t.translation() << X->p.x, X->p.y, X->p.z;
    return t;
}

// The triangles of the hull of a few points, of which no four lie in a plane: three with all others
// on one side.
fcl::CollisionGeometryd *hull_of(const lw_solid &s)
{
    auto vertex = std::make_shared<std::vector<fcl::Vector3d>>();
    auto face = std::make_shared<std::vector<int>>();
    int nface = 0;
    for (int i = 0; i < s.npoint; ++i) {
        vertex->emplace_back(s.point[i].x, s.point[i].y, s.point[i].z);
    }
    for (int i = 0; i < s.npoint; ++i) {
        for (int j = 0; j < s.npoint; ++j) {
            for (int k = j + 1; k < s.npoint && i < j; ++k) {
                const auto &p = *vertex;
                const fcl::Vector3d n = (p[j] - p[i]).cross(p[k] - p[i]);
                int above = 0, below = 0;
                for (const fcl::Vector3d &x : p) {
                    const double h = n.dot(x - p[i]);
                    above += h > 1e-12;
                    below += h < -1e-12;
                }
                if (above == 0 || below == 0) {
                    const int corner[4] = {3, i, above == 0 ? j : k, above == 0 ? k : j};
                    face->insert(face->end(), corner, corner + 4);
                    ++nface;
                }
            }
        }
    }
    return new fcl::Convexd(vertex, nface, face);
}

fcl::CollisionGeometryd *geometry_of(const lw_solid &s)
{
    switch (s.core) {
    case LW_CORE_POINT:
        return new fcl::Sphered(s.radius);
    case LW_CORE_SEGMENT:
        return new fcl::Capsuled(s.radius, 2.0 * s.half.z);
    case LW_CORE_BOX:
        return s.radius > 0.0 ? nullptr
                              : new fcl::Boxd(2.0 * s.half.x, 2.0 * s.half.y, 2.0 * s.half.z);
    case LW_CORE_CYLINDER:
        return s.radius > 0.0 ? nullptr : new fcl::Cylinderd(s.half.x, 2.0 * s.half.z);
    case LW_CORE_HULL:
        return s.radius > 0.0 ? nullptr : hull_of(s);
    default:
        return nullptr;
    }
}

} // namespace

fcl_solid *fcl_solid_create(const lw_solid *solid)
{
    fcl::CollisionGeometryd *geometry = geometry_of(*solid);
    if (!geometry) {
        return nullptr;
    }
    return new fcl_solid{std::unique_ptr<fcl::CollisionGeometryd>(geometry)};
}

fcl_solid *fcl_mesh_create(const lw_mesh *mesh)
{
    std::vector<fcl::Vector3d> vertex;
    std::vector<fcl::Triangle> triangle;
    for (int i = 0; i < mesh->nvertex; ++i) {
        vertex.emplace_back(mesh->vertex[i].x, mesh->vertex[i].y, mesh->vertex[i].z);
    }
    for (int i = 0; i < mesh->ntriangle; ++i) {
        const int *corner = mesh->triangle + 3 * i;
        triangle.emplace_back(corner[0], corner[1], corner[2]);
    }
    auto *model = new fcl::BVHModel<fcl::OBBRSSd>();
    model->beginModel(mesh->ntriangle, mesh->nvertex);
    model->addSubModel(vertex, triangle);
    model->endModel();
    return new fcl_solid{std::unique_ptr<fcl::CollisionGeometryd>(model)};
}

void fcl_solid_destroy(fcl_solid *solid)
{
    delete solid;
}

double fcl_distance(const fcl_solid *a, const lw_pose *X_a, const fcl_solid *b, const lw_pose *X_b)
{
    fcl::DistanceRequestd request(true);
    request.distance_tolerance = 1e-9;
    fcl::DistanceResultd result;
    fcl::distance(a->geometry.get(), transform_of(X_a), b->geometry.get(), transform_of(X_b),
                  request, result);
    return result.min_distance;
}

double fcl_signed_distance(const fcl_solid *a, const lw_pose *X_a, const fcl_solid *b,
                           const lw_pose *X_b)
{
    const double distance = fcl_distance(a, X_a, b, X_b);
    if (distance > 0.0) {
        return distance;
    }
    fcl::CollisionRequestd request(1, true);
    fcl::CollisionResultd result;
    fcl::collide(a->geometry.get(), transform_of(X_a), b->geometry.get(), transform_of(X_b),
                 request, result);
    return result.isCollision() ? -result.getContact(0).penetration_depth : 0.0;
}

bool fcl_touch(const fcl_solid *a, const lw_pose *X_a, const fcl_solid *b, const lw_pose *X_b)
{
    fcl::CollisionRequestd request;
    fcl::CollisionResultd result;
    return fcl::collide(a->geometry.get(), transform_of(X_a), b->geometry.get(), transform_of(X_b),
                        request, result) > 0;
}
