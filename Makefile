# make demo | check | asan | tsan | fuzz | cover | bench | bench-stats | format | lint | deps | install | uninstall
# The scripts behind the targets live in tools/; this file only says how C becomes a program.

ifeq ($(origin CC),default)
CC = gcc
endif
B ?= build
OPT ?= -O2 -g
PREFIX ?= /usr/local
DESTDIR ?=

WARN = -Wall -Wextra -Wshadow -Wvla -Wundef -Wformat=2 -Wwrite-strings -Wstrict-prototypes \
  -Wmissing-prototypes -Wconversion -Wno-sign-conversion -Wdouble-promotion -Wimplicit-fallthrough \
  -Wswitch-enum -Wpointer-arith -Wcast-qual -Wnull-dereference
WERROR ?= -Werror
VERSION = 0.1.0
override CFLAGS += -std=gnu17 -D_GNU_SOURCE -DWEIR_VERSION='"$(VERSION)"' -Isrc -MMD -MP -fno-omit-frame-pointer \
  $(OPT) $(WARN) $(WERROR) $(SAN)
override LDFLAGS += $(SAN)
LDLIBS = -lcurl -lssl -lcrypto -ljansson -lm

# Floors, lowest first; tools/floors.sh checks that includes only go down.
FLOORS = base wire measure config net sim study report app
LIBS = $(foreach f,$(FLOORS),$(B)/lib$f.a)
objects = $(patsubst src/%.c,$(B)/src/%.o,$(wildcard src/$1/*.c))
# The archives a test of floor $1 may link: its own and those below, topmost first.
reverse = $(if $1,$(call reverse,$(wordlist 2,$(words $1),$1)) $(firstword $1))
upto = $(if $(filter $(firstword $2),$1),$(firstword $2),$(firstword $2) $(call upto,$1,$(wordlist 2,$(words $2),$2)))
below = $(patsubst %,$(B)/lib%.a,$(call reverse,$(call upto,$1,$(FLOORS))))

UNIT = $(patsubst tests/unit/%.c,$(B)/unit/%,$(wildcard tests/unit/*/test_*.c))
FUZZ = $(patsubst fuzz/%.c,$(B)/%,$(wildcard fuzz/fuzz_*.c))
BENCH = $(patsubst bench/%.c,$(B)/%,$(wildcard bench/*.c))

all: $(if $(filter build,$(B)),weir,$(B)/weir)

weir: $(B)/weir
	cp $< $@

$(B)/weir: $(call objects,cli) $(call reverse,$(LIBS))
	$(CC) $(LDFLAGS) -o $@ $(call objects,cli) -Wl,--start-group $(LIBS) -Wl,--end-group $(LDLIBS)

define floor
$(B)/lib$1.a: $(call objects,$1)
	rm -f $$@; ar rcs $$@ $$^
endef
$(foreach f,$(FLOORS),$(eval $(call floor,$f)))

$(B)/src/%.o: src/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -c -o $@ $<

.SECONDEXPANSION:
$(UNIT): $(B)/unit/%: tests/unit/%.c tests/unit/test.h $$(call below,$$(firstword $$(subst /, ,%)))
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -Itests/unit -o $@ $< $(LDFLAGS) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group -lcmocka $(LDLIBS)

units: $(UNIT)

# With clang and SAN='-fsanitize=fuzzer-no-link,…' (tools/fuzz.sh).
$(FUZZ): $(B)/%: fuzz/%.c $(LIBS)
	$(CC) $(CFLAGS) -fsanitize=fuzzer -o $@ $< $(LDFLAGS) -Wl,--start-group $(LIBS) -Wl,--end-group $(LDLIBS)

$(BENCH): $(B)/%: bench/%.c $(LIBS)
	$(CC) $(CFLAGS) -o $@ $< $(LDFLAGS) -Wl,--start-group $(LIBS) -Wl,--end-group $(LDLIBS)

demo check asan tsan fuzz cover bench lint deps install uninstall:
	@B='$(B)' CC='$(CC)' PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' tools/$@.sh
bench-stats: $(B)/bench_stats ; @$<
format: ; clang-format -i $$(git ls-files '*.c' '*.h')
clean: ; rm -rf build weir

.PHONY: all units demo check asan tsan fuzz cover bench bench-stats format lint deps install uninstall clean
-include $(shell find $(B) -name '*.d' 2>/dev/null)
