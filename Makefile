# weft: `make demo` and `make check` install what is missing, build, and show or test the program.
# Sources are found by wildcard; the registries of variants are written from file names (tools/registry.sh).

BUILD    ?= build
PREFIX   ?= /usr/local
CC       ?= cc
OPTIMISE ?= -O3
WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Werror
CFLAGS   ?= -g
CPPFLAGS += -Isrc -D_POSIX_C_SOURCE=200809L
ALL_CFLAGS = -std=c11 $(OPTIMISE) $(WARNINGS) $(CFLAGS)
LDLIBS   += -ljansson -levent_core -lm
TEST_LDLIBS := $(shell pkg-config --libs check 2>/dev/null || echo -lcheck)

SOURCES  := $(sort $(wildcard src/*/*.c))
OBJECTS  := $(SOURCES:src/%.c=$(BUILD)/%.o) $(BUILD)/registry.o
TEST_SOURCES := $(sort $(wildcard tests/*.c tests/*/*.c))
TEST_OBJECTS := $(TEST_SOURCES:tests/%.c=$(BUILD)/tests/%.o) $(BUILD)/tests/registry.o

.PHONY: all demo check asan format check-layers deps install uninstall clean
all: weft

weft: $(BUILD)/weft
	@cp -f $< $@

$(BUILD)/weft: $(BUILD)/main.o $(OBJECTS)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/%.o: src/%.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/registry.c: $(SOURCES) tools/registry.sh
	@mkdir -p $(@D)
	tools/registry.sh > $@.new && mv $@.new $@

$(BUILD)/registry.o: $(BUILD)/registry.c
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# Unit tests: every tests/*/test_NAME.c defines `Suite *test_NAME_suite(void)`. They run in the checkout's root.
$(BUILD)/unit-tests: $(TEST_OBJECTS) $(OBJECTS)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(TEST_LDLIBS) $(LDLIBS)

$(BUILD)/tests/%.o: tests/%.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Itests $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/tests/registry.c: $(TEST_SOURCES) tools/test_registry.sh
	@mkdir -p $(@D)
	tools/test_registry.sh > $@.new && mv $@.new $@

$(BUILD)/tests/registry.o: $(BUILD)/tests/registry.c
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

clean:
	rm -rf build weft demo

-include $(OBJECTS:.o=.d) $(BUILD)/main.d $(TEST_OBJECTS:.o=.d)
