#!/usr/bin/env bash
# Pictures of the studio: scripts/studio_pictures.sh [PROGRAM [FOLDER [MODEL ...]]]
#
# Six of shipped models, or each MODEL in both themes, with meshes from the folders that MESHES names.
# The program is build/linkwork and the folder build/studio_pictures unless others are named. They
# are PNG files, which Chromium draws, and so are not kept in the repository.
set -euo pipefail
cd "$(dirname "$0")/.."

program=${1:-build/linkwork}
out=${2:-build/studio_pictures}
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
shoot pose models/ur5_class.xml 'theme=light&sel=body.2'
shoot layers models/panda_class.xml 'theme=dark&layers=visual,frames,mass,grid'
shoot loops models/closed/stewart.xml 'theme=light&mode=loops'
shoot equations models/scara.xml 'theme=light&mode=equations'
shoot configure models/scara.xml 'theme=dark&mode=configure'
shoot rover models/rover/rover.xml 'theme=dark&layers=visual,skeleton,grid'
