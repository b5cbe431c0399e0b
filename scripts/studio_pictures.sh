#!/usr/bin/env bash
# Pictures of the studio: scripts/studio_pictures.sh [PROGRAM [FOLDER [MODEL ...]]]
#
# The six that the pages of docs/ show, or each MODEL in both themes, with meshes from the folders
# that MESHES names. The program is build/linkwork and the folder docs/pictures unless others are
# named. Chromium draws them, and node makes them small; nothing else in the repository is a binary.
set -euo pipefail
cd "$(dirname "$0")/.."

program=${1:-build/linkwork}
out=${2:-docs/pictures}
mkdir -p "$out"

shoot() # name, model, state of the page
{
    "$program" studio "$2" --screenshot "$out/$1.png" --page "$3" --silence inertia-triangle \
        ${MESHES:+--path "$MESHES"}
    echo "$out/$1.png"
}
for model in "${@:3}"; do
    name=$(basename "$model")
    for theme in light dark; do
        shoot "${name%.*}_$theme" "$model" "theme=$theme"
    done
done
[ $# -lt 3 ] || exit 0
shoot studio_pose models/ur5_class.xml 'theme=light&sel=body.2'
shoot studio_layers models/rover/rover.xml 'theme=dark&layers=visual,frames,mass,grid'
shoot studio_equations models/scara.xml 'theme=light&mode=equations'
shoot studio_configure models/scara.xml 'theme=dark&mode=configure'
shoot studio_loops models/closed/stewart.xml 'theme=light&mode=loops'
shoot studio_workspace models/scara.xml \
    'theme=dark&mode=workspace&panel=-1,0.04,200000,0,no,xy,0.15,manipulability,all,1'
node scripts/small_png.mjs "$out"/studio_{pose,layers,equations,configure,loops,workspace}.png
