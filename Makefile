# Entry point for people; the build itself is CMake and Ninja in $(BUILD).
# `make help` lists the targets.

BUILD  ?= build
PREFIX ?= /usr/local
JOBS   ?= $(shell nproc)
# One more test than processors: a fifth of the time tests wait, for example for other processes.
TEST_JOBS ?= $(shell expr $(JOBS) + 1)

stage := $(abspath $(BUILD))/stage
pf    := $(stage)/bin/pf

.DEFAULT_GOAL := build
.PHONY: build deps stage demo test test-thorough test-sampling test-directed test-symbolic test-flipped test-predicted test-all test-campaign test-fleet test-explore deb test-deb bench realworld lint format install clean help

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile
	@echo "  variables: BUILD=$(BUILD) PREFIX=$(PREFIX) DESTDIR=$(DESTDIR) JOBS=$(JOBS)"

deps:
	@script/install-deps build test

$(BUILD)/build.ninja:
	cmake -G Ninja -S . -B $(BUILD) -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19

build: deps ## build everything in $(BUILD)
	@test -f $(BUILD)/build.ninja || $(MAKE) --no-print-directory $(BUILD)/build.ninja
	cmake --build $(BUILD) -j $(JOBS)

stage: build
	@cmake --install $(BUILD) --prefix $(stage) >/dev/null

demo: stage ## build, then show a race report on an example (about 2 minutes)
	@example/demo $(pf)

test: build ## build, then run every test, each program 3 times at -O0 and -O2 (about 15 minutes)
	ctest --test-dir $(BUILD) -j $(TEST_JOBS) --output-on-failure --no-tests=error

test-thorough: build ## like test, but run each program 50 times
	PF_TEST_RUNS=50 ctest --test-dir $(BUILD) -j $(TEST_JOBS) --output-on-failure --no-tests=error

test-sampling: stage ## run every test program under every sampling policy and check that it reports true races only
	python3 test/run/program.py --pf $(pf) --runs 2 --sample literace,pacer:0.3,atexrace,atexrace,cross \
		--work $(BUILD)/test-work/test-sampling \
		$$(find test/program -name '*.c*' ! -path '*/part/*' | sort)

test-directed: stage ## record every test program with 20 seeds and replay each recording 20 times
	python3 test/run/program.py --pf $(pf) --level O2 --runs 1 --direct 20,20 \
		--work $(BUILD)/test-work/test-directed \
		$$(find test/program -name '*.c*' ! -path '*/part/*' | sort)

test-symbolic: stage ## compare symbolic and ordinary recordings of every test program at two levels
	for level in O0 O2; do \
		python3 test/run/symbolic_runs.py $(pf) $$level --symbolic \
			$$(find test/program -name '*.c*' ! -path '*/part/*' | sort) || exit 1; \
	done

test-flipped: stage ## record both orders of the accesses of every race in the test programs
	python3 test/run/program.py --pf $(pf) --level O1 --runs 1 --flip \
		--work $(BUILD)/test-work/test-flipped \
		$$(find test/program -name '*_racy.c*' ! -path '*/part/*' | sort)

test-predicted: stage ## predict races from recordings of every test program, check that they are true, and replay every witness
	python3 test/run/program.py --pf $(pf) --level O2 --runs 1 --predict 20 \
		--work $(BUILD)/test-work/test-predicted \
		$$(find test/program -name '*.c*' ! -path '*/part/*' | sort)

test-all: stage ## nightly: test-sampling, test-directed, test-flipped and test-predicted over every program, one summary line (hours)
	test/run/all $(pf) $(BUILD)/test-work/test-all

test-campaign: stage ## check every test program at three levels, execute every printed command elsewhere, and examine test/known (hours)
	python3 test/run/campaign.py --pf $(pf) --work $(BUILD)/test-work/test-campaign --log $(BUILD)/test-work/campaign.log
	python3 test/run/known_defects.py --pf $(pf) --work $(BUILD)/test-work/known-defects --log $(BUILD)/test-work/known-defects.log

test-fleet: stage ## run suite, check, hunt and judge on a private Slurm; suite and check are ten times as large as in `make test`
	PF=$(abspath $(pf)) ROOT=$(CURDIR) WORK=$(abspath $(BUILD))/test-work/test-fleet python3 test/run/fleet.py --large

bench: stage ## compare time and memory with ThreadSanitizer; results in bench/results
	@script/install-deps bench
	bench/run --pf $(pf)
	bench/pecan/run --pf $(pf)

realworld: stage ## build Debian programs with pf cc and run them on real work
	@script/install-deps bench
	bench/realworld --pf $(pf)
	bench/directed_real --pf $(pf)

lint: deps ## check format, layers, names, text and shell scripts
	script/check-format
	script/check-layers
	script/check-names
	script/check-options
	script/check-calls
	script/check-words
	script/check-shell

format: deps ## format the sources with clang-format
	script/check-format --fix

test-explore: stage ## compare pf explore with brute force on 200 random programs (some minutes)
	PF=$(abspath $(pf)) WORK=$(abspath $(BUILD))/test-work/test-explore python3 test/oracle/explore_random.py 1 201

deb: ## build a Debian package in $(BUILD)/deb
	@script/install-deps deb
	script/make-deb $(BUILD)/deb

test-deb: deb ## install the Debian package in a new Debian 12, use it, and remove it again (root, some minutes)
	test/run/package $(BUILD)/deb/photofinish_*.deb $(BUILD)/test-work/package

install: build ## install under PREFIX (with DESTDIR in front)
	DESTDIR=$(DESTDIR) cmake --install $(BUILD) --prefix $(abspath $(PREFIX))

clean: ## remove $(BUILD)
	rm -rf $(BUILD)
