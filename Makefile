# The front door: everything behind it is CMake and Ninja in $(BUILD).
# `make help` says what there is.

BUILD  ?= build
PREFIX ?= /usr/local
JOBS   ?= $(shell nproc)

stage := $(abspath $(BUILD))/stage
pf    := $(stage)/bin/pf

.DEFAULT_GOAL := build
.PHONY: build deps stage demo test test-thorough test-sampling test-directed test-flipped test-predicted bench realworld lint format install clean help

help: ## this text
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

demo: stage ## build the example with pf cc, run it under pf run, show the race report
	@example/demo $(pf)

test: build ## build and run every test, each program 5 times at -O0 and -O2
	ctest --test-dir $(BUILD) -j $(JOBS) --output-on-failure --no-tests=error

test-thorough: build ## the same, each program 50 times
	PF_TEST_RUNS=50 ctest --test-dir $(BUILD) -j $(JOBS) --output-on-failure --no-tests=error

test-sampling: stage ## every test program under every sampling policy: nothing but true races
	python3 test/run/program.py --pf $(pf) --runs 2 --sample literace,pacer:0.3,atexrace,atexrace,cross \
		--work $(BUILD)/test-work/test-sampling \
		$$(find test/program -name '*.c*' ! -path '*/part/*' | sort)

test-directed: stage ## every test program recorded with 20 seeds, each recording replayed 20 times
	python3 test/run/program.py --pf $(pf) --level O2 --runs 1 --direct 20,20 \
		--work $(BUILD)/test-work/test-directed \
		$$(find test/program -name '*.c*' ! -path '*/part/*' | sort)

test-flipped: stage ## both orders of the accesses of every race of the test programs
	python3 test/run/program.py --pf $(pf) --level O1 --runs 1 --flip \
		--work $(BUILD)/test-work/test-flipped \
		$$(find test/program -name '*_racy.c*' ! -path '*/part/*' | sort)

test-predicted: stage ## what pf predict says of recordings of every test program: only what is there, and replays reach it
	python3 test/run/program.py --pf $(pf) --level O2 --runs 1 --predict 20 \
		--work $(BUILD)/test-work/test-predicted \
		$$(find test/program -name '*.c*' ! -path '*/part/*' | sort)

bench: stage ## time and memory beside ThreadSanitizer, into bench/results
	@script/install-deps bench
	bench/run --pf $(pf)
	bench/pecan/run --pf $(pf)

realworld: stage ## Debian's own programs, built with pf cc and used for real
	@script/install-deps bench
	bench/realworld --pf $(pf)
	bench/directed_real --pf $(pf)

lint: deps ## format, layers, names, shell scripts
	script/check-format
	script/check-layers
	script/check-names
	script/check-shell

format: deps ## rewrite the sources in the house format
	script/check-format --fix

install: build ## install under PREFIX (and DESTDIR)
	DESTDIR=$(DESTDIR) cmake --install $(BUILD) --prefix $(abspath $(PREFIX))

clean: ## remove $(BUILD)
	rm -rf $(BUILD)
