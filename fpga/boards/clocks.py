# Minimum frequency of each clock (MHz). The FT2232H provides 60; 69 leaves a margin of 15 %.
for name, megahertz in {"clk": 48, "cam_clk": 27, "ft_clk": 69, "oscillator": 12}.items():
    ctx.addClock(name, megahertz)  # noqa: F821 - nextpnr defines it
