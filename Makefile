# weft: `make demo` and `make check` install what is missing, build, and show or test the program. `make help` lists the rest.
# Sources are found by wildcard; the registries of variants are written from file names (tools/registry.sh).

BUILD    ?= build
PREFIX   ?= /usr/local
DESTDIR  ?=
MANDIR   ?= $(PREFIX)/share/man
BASH_COMPLETIONS ?= $(PREFIX)/share/bash-completion/completions
ZSH_COMPLETIONS  ?= $(PREFIX)/share/zsh/site-functions
FISH_COMPLETIONS ?= $(PREFIX)/share/fish/vendor_completions.d
CC       ?= cc
OPTIMISE ?= -O3
CFLAGS   ?= -g
WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Werror
CPPFLAGS += -Isrc -D_POSIX_C_SOURCE=200809L
ALL_CFLAGS = -std=c11 -pthread $(OPTIMISE) $(WARNINGS) $(CFLAGS)
LDLIBS   += -ljansson -levent_core -lm -pthread
TEST_LDLIBS = $(shell pkg-config --libs check)

SOURCES  := $(sort $(wildcard src/*/*.c))
HEADERS  := $(sort $(wildcard src/*/*.h))
OBJECTS  := $(SOURCES:src/%.c=$(BUILD)/%.o) $(BUILD)/registry.o
TEST_SOURCES := $(sort $(wildcard tests/*.c tests/*/*.c))
TEST_OBJECTS := $(TEST_SOURCES:tests/%.c=$(BUILD)/tests/%.o) $(BUILD)/tests/registry.o

# A line says what is built; V=1 shows the commands themselves, -s nothing. Warnings are shown in any case.
QUIET := $(if $(filter-out 0,$(V)),,@)
SILENT := $(findstring s,$(filter-out --%,$(firstword -$(MAKEFLAGS))))
say = $(if $(SILENT),,$(if $(QUIET),@printf '  %-4s %s\n' $(1) $(2)))

.PHONY: all help man demo lecture bench bench-growth bench-page bench-record check-instructions whole-traces check asan tsan fuzz format check-format check-layers deps install uninstall clean
.DELETE_ON_ERROR:

all: weft man ## build weft, its manual pages and completions; a plain make does this

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-20s%s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

# ---- the program

weft: $(BUILD)/weft ## build the program only
	@cp -f $< $@

$(BUILD)/weft: $(BUILD)/main.o $(OBJECTS)
	$(call say,LD,$@)
	$(QUIET)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# manual pages and completions, from the program's own tables

man: $(BUILD)/man/written ## write manual pages and completions to build/man

$(BUILD)/man/written: $(BUILD)/weft
	$(call say,GEN,$(@D))
	@rm -rf $(@D) && mkdir -p $(@D)
	@for page in $$($< help --roff); do $< help --roff $$page >$(@D)/$$page || exit 1; done
	@for shell in bash zsh fish; do $< completion $$shell >$(@D)/completion.$$shell || exit 1; done
	@touch $@

$(BUILD)/%.o: src/%.c | $(BUILD)/deps
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(QUIET)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/registry.c: $(SOURCES) tools/registry.sh | $(BUILD)/deps
	$(call say,GEN,$@)
	$(QUIET)tools/registry.sh > $@

$(BUILD)/registry.o: $(BUILD)/registry.c
	$(call say,CC,$<)
	$(QUIET)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# ---- what the machine must have

deps: $(BUILD)/deps ## install what is missing, through apt

$(BUILD)/deps: tools/setup.sh
	@mkdir -p $(BUILD)
	@tools/setup.sh
	@touch $@

# ---- tests: every tests/*/test_NAME.c defines `Suite *test_NAME_suite(void)`; all run in the checkout's root

check: weft $(BUILD)/unit-tests check-layers ## build, then run all tests
	$(BUILD)/unit-tests
	tests/cli/run_cli_tests.sh ./weft
	tests/cli/run_face_tests.sh ./weft

$(BUILD)/unit-tests: $(TEST_OBJECTS) $(OBJECTS)
	$(call say,LD,$@)
	$(QUIET)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(TEST_LDLIBS) $(LDLIBS)

$(BUILD)/tests/%.o: tests/%.c | $(BUILD)/deps
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(QUIET)$(CC) $(CPPFLAGS) -Itests $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/tests/registry.c: $(TEST_SOURCES) tools/test_registry.sh | $(BUILD)/deps
	@mkdir -p $(@D)
	$(call say,GEN,$@)
	$(QUIET)tools/test_registry.sh > $@

$(BUILD)/tests/registry.o: $(BUILD)/tests/registry.c
	$(call say,CC,$<)
	$(QUIET)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# in one process: with a fork a test the leak checker would take most of the time
asan: ## the unit tests under AddressSanitizer and UBSan
	$(QUIET)$(MAKE) BUILD=$(BUILD)/asan OPTIMISE=-O1 CFLAGS="-g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer" \
	    LDFLAGS="-fsanitize=address,undefined" $(BUILD)/asan/weft $(BUILD)/asan/unit-tests
	CK_FORK=no WEFT_SEEDS=$${WEFT_SEEDS:-60} $(BUILD)/asan/unit-tests

# what several threads do at once, under the thread sanitizer; with it gcc misses that some variables are set
tsan: ## the tests of threads under the thread sanitizer
	$(QUIET)$(MAKE) BUILD=$(BUILD)/tsan OPTIMISE=-O1 CFLAGS="-g -fsanitize=thread -Wno-maybe-uninitialized" LDFLAGS="-fsanitize=thread" \
	    $(BUILD)/tsan/unit-tests
	for suite in barrier shards threads; do \
	    CK_FORK=no CK_RUN_SUITE=$$suite $(BUILD)/tsan/unit-tests || exit 1; done

# texts that start from good and bad scenarios, for FUZZ_SECONDS; needs clang. What breaks is left in $(BUILD)/fuzz
FUZZ_SECONDS ?= 60
FUZZ_FLAGS := -g -fsanitize=address,undefined -fno-sanitize-recover=all
fuzz: ## feed the parser for FUZZ_SECONDS (60); needs clang
	$(QUIET)$(MAKE) BUILD=$(BUILD)/fuzz CC=clang OPTIMISE=-O1 CFLAGS="$(FUZZ_FLAGS) -fsanitize=fuzzer-no-link" $(BUILD)/fuzz/objects
	$(call say,LD,$(BUILD)/fuzz/fuzz-scenario)
	$(QUIET)clang -std=c11 $(CPPFLAGS) -O1 $(WARNINGS) $(FUZZ_FLAGS) -fsanitize=fuzzer -o $(BUILD)/fuzz/fuzz-scenario tools/fuzz_scenario.c \
	    $(OBJECTS:$(BUILD)/%=$(BUILD)/fuzz/%) $(LDLIBS)
	@mkdir -p $(BUILD)/fuzz/texts
	@n=0; for file in scenarios/*.json tests/golden/cases/*/scenario.json tests/invalid/*/input.json; do \
	    n=$$((n + 1)); cp "$$file" $(BUILD)/fuzz/texts/seed-$$n; done
	$(BUILD)/fuzz/fuzz-scenario -max_total_time=$(FUZZ_SECONDS) -max_len=4096 -timeout=10 -print_final_stats=1 \
	    -artifact_prefix=$(BUILD)/fuzz/ $(BUILD)/fuzz/texts

$(BUILD)/objects: $(OBJECTS)
	@touch $@

check-layers: ## fail where a folder includes what it must not
	@tools/check_layers.sh

format: ## clang-format everything
	$(QUIET)clang-format -i $(SOURCES) src/main.c $(HEADERS) $(TEST_SOURCES) $(BENCH_SOURCES) $(wildcard tools/bench/*.h)

check-format: ## fail where that would change something
	$(QUIET)clang-format --dry-run -Werror $(SOURCES) src/main.c $(HEADERS) $(TEST_SOURCES) $(BENCH_SOURCES) $(wildcard tools/bench/*.h)

# ---- the main job, shown: which mapping of a ring suits a torus, and because of which links

demo: weft ## build, then show which mapping of a ring suits a torus, and because of which links
	@mkdir -p demo
	./weft compare scenarios/torus-ring-all-reduce.json --vary mapping=snake,linear,random:20 --svg demo

# ---- how fast it is (docs/speed.md). SIMGRID=1: beside SimGrid; YARDSTICK=1: beside the prototypes, where they lie in
# ../shared; CALLGRIND=1: count instructions. BENCH_FLAGS="--markdown --row ring-64 --engine heap --repeats 1"

BENCH_SOURCES := $(sort $(wildcard tools/bench/*.c))
BENCH_OBJECTS := $(BENCH_SOURCES:tools/%.c=$(BUILD)/%.o)
BENCH_PROGRAM := $(BUILD)/bench/bench
YARDSTICK_DIR ?= ../shared/yardstick
BENCH_PEERS = $(if $(SIMGRID),--simgrid $(BUILD)/bench/simgrid-driver) \
    $(if $(YARDSTICK),$(if $(wildcard $(YARDSTICK_DIR)/fast.c),--yardstick $(BUILD)/bench/yardstick))

bench: $(BENCH_PROGRAM) $(filter $(BUILD)/%,$(BENCH_PEERS)) ## how fast it is: some minutes, 2.5 GB of memory (BENCH_FLAGS="--row NAME" for one row)
	@$(BENCH_PROGRAM) $(BENCH_PEERS) $(BENCH_FLAGS)
	$(if $(CALLGRIND),@tools/bench/instructions.sh show $(BENCH_PROGRAM))

bench-growth: $(BENCH_PROGRAM) ## time and memory of large and ever larger runs
	@$(BENCH_PROGRAM) --group endpoints,messages,chunks,time,scale $(BENCH_FLAGS)

# the tables of docs/speed.md
bench-page: $(BENCH_PROGRAM) $(filter $(BUILD)/%,$(BENCH_PEERS)) ## write the tables of docs/speed.md anew
	@tools/bench/page.sh $(BUILD)

# instructions per chunk-hop against tools/bench/instructions.tsv; `make bench-record` writes that file
check-instructions: $(BENCH_PROGRAM) ## instructions per chunk-hop against tools/bench/instructions.tsv; needs valgrind
	@tools/bench/instructions.sh check $(BENCH_PROGRAM)

bench-record: $(BENCH_PROGRAM) ## write that file anew
	@tools/bench/instructions.sh record $(BENCH_PROGRAM)

$(BENCH_PROGRAM): $(BENCH_OBJECTS) $(filter-out $(BUILD)/cli/% $(BUILD)/report/% $(BUILD)/pool/% $(BUILD)/serve/%,$(OBJECTS))
	$(call say,LD,$@)
	$(QUIET)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/bench/%.o: tools/bench/%.c | $(BUILD)/deps
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(QUIET)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/bench/simgrid-driver: tools/bench/simgrid_driver.cpp
	@mkdir -p $(@D)
	@tools/setup.sh g++ libsimgrid-dev
	$(call say,CXX,$<)
	$(QUIET)$(CXX) -std=c++17 -O3 -Wall -Wextra -o $@ $< -lsimgrid

$(BUILD)/bench/yardstick: $(YARDSTICK_DIR)/fast.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(QUIET)$(CC) -O3 -march=native -w -o $@ $<

# ---- the lecture's figures, each from runs of weft; fails when one is outside its tolerance

lecture: weft ## the lecture's figures from runs of weft; needs python3
	@command -v python3 >/dev/null || tools/setup.sh python3
	@tools/lecture/lecture.py --weft ./weft

# ---- whole public traces of requests, where they lie beside the checkout: some minutes

whole-traces: weft ## whole public traces of requests, where they lie beside the checkout
	tools/whole_traces.sh

install: weft man ## program, manual pages, completions to PREFIX (/usr/local), below DESTDIR
	install -D -m 755 weft $(DESTDIR)$(PREFIX)/bin/weft
	for page in $(BUILD)/man/*.[15]; do \
	    install -D -m 644 $$page $(DESTDIR)$(MANDIR)/man$${page##*.}/$${page##*/} || exit 1; done
	install -D -m 644 $(BUILD)/man/completion.bash $(DESTDIR)$(BASH_COMPLETIONS)/weft
	install -D -m 644 $(BUILD)/man/completion.zsh $(DESTDIR)$(ZSH_COMPLETIONS)/_weft
	install -D -m 644 $(BUILD)/man/completion.fish $(DESTDIR)$(FISH_COMPLETIONS)/weft.fish

uninstall: ## remove them
	rm -f $(DESTDIR)$(PREFIX)/bin/weft $(DESTDIR)$(MANDIR)/man1/weft.1 $(DESTDIR)$(MANDIR)/man1/weft-*.1 \
	    $(DESTDIR)$(MANDIR)/man5/weft-scenario.5 $(DESTDIR)$(BASH_COMPLETIONS)/weft $(DESTDIR)$(ZSH_COMPLETIONS)/_weft \
	    $(DESTDIR)$(FISH_COMPLETIONS)/weft.fish

clean: ## remove what was built
	rm -rf $(BUILD) weft demo

-include $(OBJECTS:.o=.d) $(BUILD)/main.d $(TEST_OBJECTS:.o=.d) $(BENCH_OBJECTS:.o=.d)
