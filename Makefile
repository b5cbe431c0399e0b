# The commands of the README. The build itself is CMake's; this file only names things.

PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
export JOBS

all: ## build the library and the program (release)
	@mkdir -p build && cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DLINKWORK_TESTS=OFF \
	    -DLINKWORK_TOOLS=ON -DCMAKE_INSTALL_PREFIX='$(PREFIX)' -DCMAKE_RULE_MESSAGES=OFF \
	    >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@cmake --build build -j $(JOBS) -- --no-print-directory

demo: packages-build packages-studio ## install what is needed, build, and show what the program does
	@$(MAKE) --no-print-directory all
	@build/linkwork demo -o build/demo.svg
	@echo && echo "The same robot in the browser:  build/linkwork studio models/ur5_class.xml"

test: packages-build packages-test packages-targets ## install what is needed, and run every test
	@scripts/test.sh

quick: packages-build ## the tests that matter while editing, in less than two minutes
	@scripts/test.sh quick

mutate: packages-build packages-test ## break guards of the library one by one: which tests notice?
	@scripts/mutate.sh

bench: packages-build packages-bench ## the benchmarks
	@$(MAKE) --no-print-directory all
	@scripts/bench.sh

reference: ## write the reference of the C library to build/reference/html (doxygen)
	@mkdir -p build/reference && doxygen docs/Doxyfile || { cat build/reference/warnings.txt; exit 1; }

install: all ## install under PREFIX (/usr/local), below DESTDIR where that is set
	@cmake --install build

format: ## bring all C files and the page into the project's form
	@git ls-files -co --exclude-standard '*.c' '*.h' '*.cc' '*.cpp' | xargs clang-format-14 -i
	@prettier=$$(ls build/studio/node_modules/.bin/prettier build/test/gcc/studio/node_modules/.bin/prettier \
	    2>/dev/null | head -n 1); [ -z "$$prettier" ] || $$prettier --write --log-level warn \
	    --config studio/page/package.json --ignore-path studio/page/.prettierignore \
	    studio/page tests/studio bench/studio.mjs

clean: ## remove everything that was built
	@rm -rf build

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 10

packages-%:
	@scripts/install.sh $*

.PHONY: all demo test quick mutate bench reference install format clean help
