# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB

VERSION := $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)

prefix	?= /usr/local
sbindir	?= $(prefix)/sbin
mandir	?= $(prefix)/share/man
DESTDIR	?=

CC	?= cc
CFLAGS	?= -O2 -g
WARN	:= -Wall -Wextra -Wno-unused-parameter -Wno-sign-compare -Wstrict-prototypes \
	   -Wmissing-prototypes -Wvla $(if $(WERROR),-Werror)
PKGS	:= libnl-3.0 libnl-genl-3.0 libibverbs librdmacm jansson libtracefs libtraceevent
PKG_CONFIG ?= pkg-config

# Calls of libibverbs that user/null.c takes for its own device.
null-calls := ibv_close_device ibv_query_device ibv_query_port _ibv_query_gid_ex \
	      _ibv_query_gid_table ibv_alloc_pd ibv_dealloc_pd ibv_create_comp_channel \
	      ibv_create_cq ibv_destroy_cq ibv_create_qp ibv_modify_qp ibv_query_qp \
	      ibv_destroy_qp ibv_reg_mr ibv_reg_mr_iova2 ibv_dereg_mr
null-wraps := $(null-calls:%=-Wl,--wrap=%)

# Parsed only by the targets that compile user code: 'make help' and 'make module' must
# work where none of these libraries is installed.
pkg-cflags = $(shell $(PKG_CONFIG) --cflags $(PKGS))
pkg-libs   = $(shell $(PKG_CONFIG) --libs $(PKGS))

# What the headers of libibverbs here have: looked at once, and only where C is compiled.
verbs-have = $(shell printf '\043include <infiniband/verbs.h>\nint x = $(2);\n' | \
	     $(CC) $(CPPFLAGS) $(pkg-cflags) -fsyntax-only -xc - 2>/dev/null && echo -DKV_HAVE_IBV_$(1))
verbs-cflags = $(eval verbs-cflags := $(call verbs-have,ATOMIC_WRITE,IBV_WR_ATOMIC_WRITE) \
	       $(call verbs-have,FLUSH,IBV_WR_FLUSH))$(verbs-cflags)

kverbs-cflags = -std=gnu11 $(WARN) -Iinclude -Iinclude/uapi -Iuser $(pkg-cflags) $(verbs-cflags) \
		-D_GNU_SOURCE -DKVERBS_VERSION='"$(VERSION)"' -MMD -MP

tool-src := $(sort $(wildcard user/*.c))
tool-obj := $(tool-src:%.c=build/%.o)

unit-src  := $(sort $(wildcard tests/unit/test_*.c))
unit-prog := $(unit-src:tests/unit/%.c=build/tests/unit/%)
# Everything a test program may share: the tool without its main(), and the other
# sources of tests/unit, in an archive, so that a program links what it needs.
unit-lib-src := $(filter-out user/main.c,$(tool-src)) \
		$(filter-out $(unit-src),$(sort $(wildcard tests/unit/*.c)))
unit-lib-obj := $(unit-lib-src:%.c=build/sanitized/%.o)
fuzz-prog := $(patsubst tests/fuzz/parsers/%.c,build/tests/fuzz/%,$(sort $(wildcard tests/fuzz/parsers/*.c)))
fuzz-lib-obj := $(patsubst user/%.c,build/fuzzed/%.o,$(filter-out user/main.c,$(tool-src)))
SANITIZE := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
FUZZ_CC ?= clang
FUZZ := -w $(SANITIZE)

check-groups := unit spec kunit faults fuzz smp guest-vm guest-uml hca kernels build lint
kbuild-args   = $(foreach v,KDIR KVERBS_KUNIT KVERBS_FAULTS KVERBS_GCOV OFED BUILD_NAME W C CF,$(if $($(v)),'$(v)=$($(v))'))

.PHONY: all module tool install modules_install load unload clean lint check check-long bench demo \
	check-kernels unit-programs fuzz-programs lint-tool help version $(check-groups:%=check-%)
.DELETE_ON_ERROR:

all: module tool

module:
	@scripts/kbuild $(kbuild-args)

tool: build/kverbs

build/kverbs: $(tool-obj)
	$(if $(tool-obj),,$(error no sources in user/))
	$(CC) $(CFLAGS) $(LDFLAGS) $(null-wraps) -o $@ $(tool-obj) $(pkg-libs) -lm -lpthread

build/.pkgs:
	@mkdir -p build
	@$(PKG_CONFIG) --print-errors --exists $(PKGS) || { \
		echo "the tool needs $(PKGS): run 'scripts/setup build', which installs them" >&2; exit 1; }
	@touch $@

build/%.o: %.c Makefile dkms.conf | build/.pkgs
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(kverbs-cflags) $(CFLAGS) -c -o $@ $<

build/sanitized/%.o: %.c Makefile dkms.conf | build/.pkgs
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(kverbs-cflags) $(SANITIZE) -c -o $@ $<

build/sanitized/shared.a: $(unit-lib-obj)
	@rm -f $@
	$(AR) rcs $@ $(unit-lib-obj)

build/tests/unit/%: build/sanitized/tests/unit/%.o build/sanitized/shared.a
	@mkdir -p $(@D)
	$(CC) $(SANITIZE) $(LDFLAGS) $(null-wraps) -o $@ $^ -lcmocka $(pkg-libs) -lm -lpthread

build/tests/nth.so: tests/faults/nth.c
	@mkdir -p $(@D)
	$(CC) -O2 -Wall -shared -fPIC -o $@ $<

# libFuzzer is clang's; to warn is for the compiler of the tool.
build/fuzzed/%.o: user/%.c Makefile dkms.conf | build/.pkgs
	@mkdir -p $(@D)
	$(FUZZ_CC) $(CPPFLAGS) $(kverbs-cflags) $(FUZZ) -fsanitize=fuzzer-no-link -c -o $@ $<

# The loops are no parsers, and take minutes with all of that.
build/fuzzed/lane.o build/fuzzed/lane_wr.o: build/fuzzed/%.o: user/%.c Makefile | build/.pkgs
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(kverbs-cflags) -w -O0 -c -o $@ $<

build/fuzzed/shared.a: $(fuzz-lib-obj)
	@rm -f $@
	$(AR) rcs $@ $(fuzz-lib-obj)

build/tests/fuzz/%: tests/fuzz/parsers/%.c build/fuzzed/shared.a
	@mkdir -p $(@D)
	$(FUZZ_CC) $(CPPFLAGS) $(kverbs-cflags) $(FUZZ) -fsanitize=fuzzer $(LDFLAGS) $(null-wraps) -o $@ $< build/fuzzed/shared.a $(pkg-libs) -lm -lpthread

.SECONDARY:

unit-programs: $(unit-prog)

fuzz-programs: $(fuzz-prog)

install: tool
	install -d $(DESTDIR)$(sbindir)
	install -m 755 build/kverbs $(DESTDIR)$(sbindir)/kverbs
	for page in $(wildcard docs/man/*.[1-8]); do \
		dir=$(DESTDIR)$(mandir)/man$${page##*.}; \
		install -d $$dir && install -m 644 $$page $$dir/ || exit 1; \
	done

modules_install: module
	@scripts/kbuild --install $(kbuild-args)

load: module
	@scripts/load

unload:
	@scripts/load --unload

clean:
	rm -rf build

demo:
	scripts/setup demo $(if $(HCA),hca)
	@kernel=$$(scripts/kernels newest) && \
	if [ -z "$$kernel" ]; then \
		echo "demo: no distribution kernel installed, see scripts/setup" >&2; exit 3; \
	fi && \
	$(MAKE) --no-print-directory module KDIR=/lib/modules/$$kernel/build && \
	$(MAKE) --no-print-directory tool && \
	scripts/vm $(if $(HCA),--hca $(HCA) --icount) kverbs compare -d $(if $(HCA),mlx5_0,rxe0)

# Every group runs, whatever the one before it did; the last line counts. Guests have one
# CPU, and the host runs a program for each of its own.
check:
	scripts/setup build vm uml check hca
	tests/run unit spec kernels build lint kunit faults fuzz guest-uml guest-vm hca

# What takes longer than a change should wait.
check-long:
	scripts/setup build vm uml check hca
	KVERBS_LONG=60 KVERBS_EVENTS=25 KVERBS_STORM_SECONDS=60 KVERBS_STORM_SEED=random KVERBS_TEST_TIMEOUT=3600 tests/run kernels kunit faults fuzz smp guest-vm guest-uml hca hca-long

$(check-groups:%=check-%): check-%:
	tests/run $*

lint:
	scripts/lint

lint-tool: build/.pkgs
	@status=0; for source in $(tool-src); do \
		$(CC) $(kverbs-cflags) -O2 -Wshadow -Wpointer-arith -Wwrite-strings -Wundef \
			-Wformat=2 -Wno-format-nonliteral -c -o build/check/tool/$$(basename $$source).o \
			$$source || status=1; \
	done; exit $$status

bench: tool
	tests/bench/run

version:
	@echo $(VERSION)

help:
	@echo 'kverbs $(VERSION)'
	@echo '  all              module and tool (default)'
	@echo '  module           build/RELEASE/kverbs.ko for KDIR= (default: the running kernel,'
	@echo '                   else the newest distribution kernel whose headers are here)'
	@echo '                   KVERBS_KUNIT=y with the KUnit suites; OFED=DIR against another ib_core'
	@echo '                   KVERBS_FAULTS=y with calls that fail when told to, for tests'
	@echo '  tool             build/kverbs'
	@echo '  install          tool and man pages, to DESTDIR and prefix ($(prefix))'
	@echo '  modules_install  module, to INSTALL_MOD_PATH, and depmod'
	@echo '  load, unload     the module, on this host; says why when it cannot'
	@echo '  demo             packages, build, kverbs compare in a virtual machine'
	@echo '                   HCA=mlx5: on a virtual ConnectX, with the real drivers, in instructions'
	@echo '  check            all tests; one group: $(check-groups:%=check-%)'
	@echo '  check-long       the long forms: storms, the model of the HCA; and smp: storms with'
	@echo '                   several CPUs on kernels with checks, which are built first'
	@echo '  lint             checkpatch, sparse, W=1, shellcheck, mandoc'
	@echo '  bench            the figures of the project'
	@echo '  clean            remove build/'

-include $(wildcard build/user/*.d build/sanitized/*/*.d build/sanitized/*/*/*.d build/fuzzed/*.d build/tests/fuzz/*.d)
