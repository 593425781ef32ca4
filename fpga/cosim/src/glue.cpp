// Plain functions around the verilated top level. `Pins` has the layout of verilated.rs.
#include "Vtop.h"
#include "verilated.h"
#include <cstdint>

struct Pins {
    uint8_t osc, cam_pclk, cam_href, cam_vsync, cam_d, ft_clkout, ft_txe_n, host_sck, host_mosi, host_ss_n, body_miso;
    uint8_t ft_d, ft_wr_n, host_miso, body_sck, body_mosi, body_ss_n, pixels, cam_mclk;
    uint16_t aux;
};

double sc_time_stamp() { return 0; }

extern "C" {
Vtop *shim_new() { return new Vtop; }

void shim_free(Vtop *top) {
    top->final();
    delete top;
}

void shim_eval(Vtop *top, Pins *pins) {
    top->osc_12mhz = pins->osc;
    top->cam_pclk = pins->cam_pclk;
    top->cam_href = pins->cam_href;
    top->cam_vsync = pins->cam_vsync;
    top->cam_d = pins->cam_d;
    top->ft_clkout = pins->ft_clkout;
    top->ft_txe_n = pins->ft_txe_n;
    top->ft_rxf_n = 1;
    top->host_sck = pins->host_sck;
    top->host_mosi = pins->host_mosi;
    top->host_ss_n = pins->host_ss_n;
    top->body_miso = pins->body_miso;
    top->aux = pins->aux;
    top->eval();
    pins->ft_d = top->ft_d;
    pins->ft_wr_n = top->ft_wr_n;
    pins->host_miso = top->host_miso;
    pins->body_sck = top->body_sck;
    pins->body_mosi = top->body_mosi;
    pins->body_ss_n = top->body_ss_n;
    pins->pixels = top->pixels;
    pins->cam_mclk = top->cam_mclk;
}
}
