#!/usr/bin/env bash
# The studio: modules of its page in node, its server under attack, its page in Chromium.
#
# SOURCE_DIR, BUILD_DIR and PROGRAM come from ctest. What is not there is skipped by name.
set -u
export SOURCE_DIR BUILD_DIR PROGRAM
status=0

skip() # name, reason
{
    echo "skip: $2"
    echo "skipped $1"
}

if ! command -v node >/dev/null || [ ! -d "$BUILD_DIR/studio/node_modules" ]; then
    for name in page_modules server browser; do
        skip "studio_$name" "the build has no studio: libmicrohttpd, node or npm is absent"
    done
    exit 0
fi

NODE_PATH=$BUILD_DIR/studio/node_modules \
    node --test --test-reporter=tap "$SOURCE_DIR"/studio/page/test/ >"$BUILD_DIR/studio/modules.tap" 2>&1
if [ $? -eq 0 ]; then
    grep -E '^    ok |^ok ' "$BUILD_DIR/studio/modules.tap" | grep -v '\.mjs' |
        sed -E 's/^ *ok [0-9]+ - (.*)/\1/' | tr -c 'A-Za-z0-9_\n' '_' | sed 's/^/ok      module_/'
else
    cat "$BUILD_DIR/studio/modules.tap"
    echo "FAILED  studio_page_modules"
    status=1
fi

if cd "$SOURCE_DIR" && "$BUILD_DIR/studio/node_modules/.bin/prettier" --check --log-level warn \
    --config studio/page/package.json --ignore-path studio/page/.prettierignore \
    studio/page tests/studio bench/studio.mjs; then
    echo "ok      studio_page_is_formatted"
else
    echo "FAILED  studio_page_is_formatted: make format"
    status=1
fi

if "$BUILD_DIR/studio/node_modules/.bin/oxlint" -c studio/page/.oxlintrc.json --format=unix \
    studio/page tests/studio bench/studio.mjs; then
    echo "ok      studio_page_is_linted"
else
    echo "FAILED  studio_page_is_linted"
    status=1
fi

# The same page from the lock file, wherever the source is: built again from a copy elsewhere.
copy=$(mktemp -d)
cp -r studio/page "$copy/elsewhere"
mkdir "$copy/out" && ln -s "$BUILD_DIR/studio/node_modules" "$copy/out/node_modules"
if node "$copy/elsewhere/build.mjs" "$copy/out/node_modules" "$copy/out" >"$copy/log" 2>&1 &&
    cmp "$copy/out/assets.c" "$BUILD_DIR/studio/assets.c"; then
    echo "ok      studio_page_is_reproducible"
else
    cat "$copy/log"
    echo "FAILED  studio_page_is_reproducible"
    status=1
fi
rm -rf "$copy"

node "$SOURCE_DIR/tests/studio/attack.mjs" || status=1

CHROMIUM=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
export CHROMIUM
if [ -n "$CHROMIUM" ]; then
    node "$SOURCE_DIR/tests/studio/browser.mjs" || status=1
else
    skip studio_browser "there is no Chromium"
fi
exit $status
