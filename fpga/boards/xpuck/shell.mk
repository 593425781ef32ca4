# Printed parts of the Xpuck from shell.scad: `make shells`. Included by fpga/Makefile; standalone, in fpga/:
#   make -f boards/xpuck/shell.mk BUILD=/tmp/x shells
# Requires Debian's openscad, xvfb and xauth. STL and SVG need no display; pictures are drawn under xvfb.
BUILD ?= ../target/fpga
OPENSCAD ?= openscad

XPUCK_SCAD := $(dir $(lastword $(MAKEFILE_LIST)))shell.scad
XPUCK_SHELL := $(BUILD)/shell
XPUCK_VIEW := -D explode=18 --imgsize=1000,1100 --camera=0,0,0,68,0,60,500 --autocenter --viewall --colorscheme=Tomorrow
XPUCK_PRINTS := $(addprefix $(XPUCK_SHELL)/,shell.stl skirt.stl ring.stl chassis.stl)

.PHONY: shells
shells: $(XPUCK_PRINTS) $(XPUCK_SHELL)/section.svg $(XPUCK_SHELL)/shell.png

# $(call openscad,COMMAND,PART,OPTIONS,PATTERN): the output of OpenSCAD is in $@.log; a warning, or a log without
# PATTERN, is an error.
define openscad
	@mkdir -p $(@D)
	@command -v $(OPENSCAD) >/dev/null || { \
	  echo "shells: openscad is missing: apt-get install --no-install-recommends openscad xvfb xauth" >&2; exit 1; }
	@$(1) -D 'part="$(2)"' $(3) -o $@ $(XPUCK_SCAD) >$@.log 2>&1 || { cat $@.log >&2; rm -f $@; exit 1; }
	@if grep -E 'WARNING|ERROR' $@.log >&2; then rm -f $@; exit 1; fi
	@grep -Eq '$(4)' $@.log || { echo "shells: $@: no line '$(4)' in its log" >&2; cat $@.log >&2; rm -f $@; exit 1; }
	@echo "$@: $$(sed -n 's/^Total rendering time: *//p' $@.log)"
endef

$(XPUCK_PRINTS): $(XPUCK_SHELL)/%.stl: $(XPUCK_SCAD)
	$(call openscad,$(OPENSCAD),$*,,Simple: +yes)

$(XPUCK_SHELL)/section.svg: $(XPUCK_SCAD)
	$(call openscad,$(OPENSCAD),section,,Top level object is a 2D object)

$(XPUCK_SHELL)/shell.png: $(XPUCK_SCAD)
	$(call openscad,xvfb-run -a $(OPENSCAD),all,$(XPUCK_VIEW),.)
