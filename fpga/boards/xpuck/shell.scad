// Shell, spacer ring, chassis and skirt of an Xpuck for 3D printing. x is forwards, y left, z up; millimetres,
// degrees.
//
// Source of each length, in brackets after it:
//   T  the thesis: 5.1.4, 5.1.5, 5.2.3, 6.1, Table 6.1, text of Fig. 5.6
//   E  e-puck.org, mechanics of the e-puck
//   W  the e-puck model of the simulator Webots (E-puck.proto)
//   D  drawing or data sheet of the part
//   =  follows from others
//   ?  own choice: the thesis shows pictures of these parts and gives two diameters
//
//   openscad -D 'part="skirt"' -o skirt.stl shell.scad

part = "all";           // "shell", "skirt", "ring", "chassis": as printed; "section": 2D; "all": the robot
explode = 0;            // "all": distance of the parts in a second, exploded robot; 0 for none
facets = 120;           // number of sides of a circle
// Feet of the reflectors from the robot's middle: "markers_mm" of `xpuck dev markers 16 --json`, here robot 1.
pattern = [[15, 5], [15, -15], [-5, 15], [-5, 5]];

// Robot.
outer_d = 75;           // shell [T]; skirt and ring too, so that robots touch at the same distance everywhere [?]
clearance = 0.4;        // between parts that slide [?]
screw_d = 2.7;          // clearance for M2.5 [?]: no drawing of the e-puck's columns gives their thread
tap_d = 2.1;            // M2.5 cuts its own thread [?]
head = [5.2, 1.7];      // countersunk M2.5, diameter and depth [?]

// e-puck.
body_r = 35;            // [E]
body_z = [1, 37];       // under its main board [W]
lights_r = 35.6;        // ring of LEDs [W]
lights_z = [35.8, 42.8];// [W]
wheel_d = 41;           // [E]
wheel_gap = 53;         // [E]
wheel_w = 3;            // [W]
columns = [[25.4, 19.3], [25.4, -19.3], [-32, 0]];  // columns that carry a turret [W]
column_z = [38.5, 49.6];// [W]
sensor_z = 33;          // infra-red [W]
sensor_at = [17, 49, 90, 150, 210, 270, 311, 343];  // [T], Table 6.1 in degrees
camera_z = 28;          // [W]
camera_x = 34.2;        // front of its lens [W]
camera_fov = 56;        // [T]
lamp = [31, -12.5, 28.5]; // front LED [W]

// Skirt: opaque to infra-red, unlike the e-puck's body, so that robots detect each other [T].
skirt_r = 35.7;         // inside: clears body and light ring [=]
skirt_z = [4, 35.4];    // above the floor [?]; below the light ring and past the sensors' axis by 2.4 [=]
window = [8, 5.2];      // for a TCRT1000, width and height, open at the top [?]
camera_d = 9;           // hole for the lens and a view of 28 degrees to each side, 3.3 mm deep [=]
lamp_d = 5.5;           // [?]
rib_at = [40, 140, 220, 320]; // bearings of the ribs: here the body has its full radius [W]
rib_r = 34.9;           // pinches the body by 0.1 [?]
rib_w = 3;              // [?]

// Shim and its pixels.
shim_d = 70;            // [T]
shim_z = column_z[1];   // on the columns [=]
shim_t = 1.6;           // [?]
pixels = 15;            // [T]; the first in front, so that the columns are in the gaps [?]
pixel_r = 31.5;         // circle of the pixel centres [?]
pixel_h = 1.6;          // WS2812B [D]
pixel_w = 5;            // [D]

// Ring: a cone of 45 degrees above the pixels reflects their light outwards [T for the function, ? for the shape].
ring_in = 26.5;         // outside the shim's parts [?]
ring_foot = 28.3;       // inside the pixels [=]
ring_h = 12.6;          // [=] for the cone to reach the rim
ring_rim = 33.6;        // carries chassis and shell [?]
ring_wall = 2.1;        // wall of the cone [?]

// Linux board and its cell.
board_w = 58;           // XU4 [D]; a Raspberry Pi is 56 wide, so 1 mm of each groove stays free
board_l = 85;           // Raspberry Pi [D]; XU4 83
board_t = 1.6;          // [?]
board_h = 20;           // with its cooler, XU4 [D]
board_x = -5;           // back of the board [?]
behind = 5;             // room for soldered parts on its back [?]
below = 8;              // room for leads and plugs below it [?]
above = 10;             // room above it [?]
cell_d = 18.5;          // NCR18650B [D]
cell_l = 65.3;          // [D]

// Chassis and shell.
wall = 1.6;             // wall of the shell: four lines of a 0.4 mm nozzle [?]
top_t = 2.4;            // [?]
base_t = 3;             // [?]
plate_t = 2;            // [?]
groove = 1.5;           // groove that holds the board [?]
rail_l = 70;            // [?]
cradle_l = 50;          // [?]
lug_at = [65, 145, 215, 295]; // screws through the shell [?]
lug_z = 4.5;            // [?]
vent = [3, 14];         // width and height [?]
vents = 16;             // in each of two rows [?]
marker_d = 8;           // seat of a reflector's foot [?]
marker_hole_d = 2.5;    // M3 cuts its own thread [?]
grid = 10;              // [T]

shell_in = outer_d / 2 - wall;
base_r = shell_in - clearance;
rail_w = 2.5;
plate_x = board_x - behind - plate_t;
cell_x = plate_x - 0.3 - cell_d / 2;   // the plate is the front of the cradle
rim_z = shim_z + shim_t + ring_h;
inside = base_t + below + board_l + above;
pipe = 0.05;            // overlap of cuts beyond a surface

// Constraints for another board, cell or wall.
assert(norm([plate_x, board_w / 2 + rail_w]) < base_r, "the board is too wide for the shell");
assert(norm([board_x + board_h, board_w / 2]) < shell_in, "the board is too thick for the shell");
assert(cell_d / 2 - cell_x < shell_in, "the cell does not fit behind the board");
assert(cell_l < below + board_l + above, "the cell is too long for the shell");
assert(skirt_z[1] < lights_z[0], "the skirt covers the e-puck's LEDs");

// A section needs only 48 facets, because its plane passes through corners of the circles.
$fn = part == "section" ? 48 : facets;

module tube(outside, within, h) {
    linear_extrude(h, convexity = 4) difference() {
        circle(outside);
        circle(within);
    }
}

// Hole through the wall at a bearing and a height.
module through(at, z) rotate([0, 0, at]) translate([body_r - 5, 0, z]) children();

module skirt() {
    h = skirt_z[1] - skirt_z[0];
    difference() {
        union() {
            tube(outer_d / 2, skirt_r, h);
            // Below the windows.
            for (at = rib_at) rotate([0, 0, at]) translate([rib_r, -rib_w / 2, 0])
                cube([skirt_r - rib_r + wall / 2, rib_w, h - 10]);
        }
        for (at = sensor_at) through(at, h - window[1])
            translate([0, -window[0] / 2, 0]) cube([12, window[0], window[1] + pipe]);
        through(0, camera_z - skirt_z[0]) rotate([0, 90, 0]) cylinder(d = camera_d, h = 12, $fn = 48);
        through(atan2(lamp[1], lamp[0]), lamp[2] - skirt_z[0]) rotate([0, 90, 0]) cylinder(d = lamp_d, h = 12, $fn = 36);
    }
}

module ring() {
    outer = outer_d / 2;
    lift = pixel_h + 0.2;
    difference() {
        union() {
            rotate_extrude(convexity = 4) polygon([
                [ring_in, 0], [ring_foot, 0], [ring_foot, lift], [outer, lift + outer - ring_foot],
                [outer, ring_h], [ring_rim, ring_h], [ring_rim, lift + ring_rim - ring_foot + ring_wall * sqrt(2)],
                [ring_in, lift + ring_in - ring_foot + ring_wall * sqrt(2)]
            ]);
            // On the columns, each between two pixels.
            for (at = columns) translate(at) cylinder(d = 6, h = ring_h, $fn = 48);
        }
        for (at = columns) translate([at[0], at[1], -1]) cylinder(d = screw_d, h = ring_h + 2, $fn = 32);
    }
}

// Parts of the chassis from bottom to top: plate, grooves, cradle.
module uprights() {
    reach = board_w / 2 + rail_w;
    translate([plate_x, -reach]) square([plate_t, 2 * reach]);
    for (side = [1, -1]) scale([1, side]) difference() {
        translate([plate_x, board_w / 2 - groove]) square([board_x + board_t + 3 - plate_x, groove + rail_w]);
        translate([board_x - clearance / 2, 0]) square([board_t + clearance, board_w / 2 + clearance / 2]);
        translate([plate_x + plate_t, 0]) square([behind - clearance / 2 - plate_t, board_w / 2 - pipe]);
    }
}

module cradle() {
    difference() {
        translate([cell_x, 0]) circle(cell_d / 2 + 0.3 + wall);
        translate([cell_x, 0]) circle(cell_d / 2 + 0.3);
        // Open towards the shell: the cell is inserted from behind.
        translate([cell_x - cell_d, -cell_d * 0.42]) square([cell_d, cell_d * 0.84]);
    }
}

module chassis() {
    difference() {
        union() {
            cylinder(r = base_r, h = base_t);
            translate([0, 0, base_t - pipe]) linear_extrude(below + rail_l + pipe, convexity = 8) uprights();
            // Supports of the board.
            for (side = [1, -1]) scale([1, side, 1])
                translate([board_x - 1, board_w / 2 - groove, base_t - pipe]) cube([board_t + 2, groove + rail_w - 0.5, below + pipe]);
            translate([0, 0, base_t - pipe]) linear_extrude(cradle_l, convexity = 8) cradle();
            for (at = lug_at) intersection() {
                rotate([0, 0, at]) translate([base_r - 6, -4, 0]) cube([8, 8, 2 * lug_z]);
                cylinder(r = base_r, h = 2 * lug_z);
            }
        }
        for (at = columns) translate([at[0], at[1], -1]) {
            cylinder(d = screw_d, h = base_t + 2, $fn = 32);
            // Countersunk head, below the cell.
            translate([0, 0, base_t + 1 - head[1]]) cylinder(d = head[0], h = 10, $fn = 36);
        }
        for (at = lug_at) rotate([0, 0, at]) translate([base_r - 8, 0, lug_z]) rotate([0, 90, 0])
            cylinder(d = tap_d, h = 12, $fn = 24);
        // Openings for the board's leads, and for air.
        translate([8, -15, -1]) cube([18, 30, base_t + 2]);
        translate([plate_x + plate_t + 1, -20, -1]) cube([behind - 2, 40, base_t + 2]);
        // Openings for the cell's leads.
        translate([cell_x, 0, -1]) cylinder(d = 8, h = base_t + 2, $fn = 36);
        // Air behind the board, and openings for a strap around it.
        for (side = [1, -1], row = [0 : 2])
            translate([plate_x - 1, side > 0 ? 13.5 : -25.5, base_t + below + 4 + 22 * row]) cube([plate_t + 2, 12, 16]);
    }
}

module marker_seats() {
    for (x = [-1.5 : 1.5], y = [-1.5 : 1.5]) translate([grid * x, grid * y, top_t - 0.4]) cylinder(d = 1.4, h = 1, $fn = 12);
    for (at = pattern) translate([at[0], at[1], 0]) {
        translate([0, 0, top_t - 0.6]) cylinder(d = marker_d, h = 1, $fn = 36);
        translate([0, 0, -1]) cylinder(d = marker_hole_d, h = top_t + 2, $fn = 24);
    }
    // Mark of the front.
    translate([outer_d / 2 - 3, 0, top_t - 0.6]) linear_extrude(1) polygon([[0, 0], [-6, 3], [-6, -3]]);
}

module shell() {
    difference() {
        union() {
            tube(outer_d / 2, shell_in, inside + pipe);
            translate([0, 0, inside]) cylinder(d = outer_d, h = top_t);
        }
        translate([0, 0, inside]) marker_seats();
        for (i = [0 : vents - 1], z = [14, inside - 8 - vent[1]])
            rotate([0, 0, 360 / vents * (i + 0.5)]) translate([shell_in - 2, -vent[0] / 2, z]) cube([6, vent[0], vent[1]]);
        for (at = lug_at) rotate([0, 0, at]) translate([shell_in - 2, 0, lug_z]) rotate([0, 90, 0])
            cylinder(d = screw_d, h = 6, $fn = 24);
    }
}

// Parts that are not printed, as a visual reference.
module epuck() {
    color("gainsboro") difference() {
        translate([0, 0, body_z[0]]) cylinder(r = body_r, h = body_z[1] - body_z[0] - 0.2);
        for (side = [1, -1]) translate([0, side * (wheel_gap / 2 + 5), wheel_d / 2]) cube([wheel_d + 3, 16, wheel_d + 4], center = true);
    }
    color("darkseagreen") for (side = [1, -1]) translate([0, side * wheel_gap / 2, wheel_d / 2]) rotate([90, 0, 0])
        cylinder(d = wheel_d, h = wheel_w, center = true);
    color("green") translate([0, 0, body_z[1]]) cylinder(r = body_r, h = 1.5);
    color("lightgray") translate([0, 0, body_z[1] + 1.7]) tube(lights_r, lights_r - 4, lights_z[1] - body_z[1] - 1.7);
    color("silver") for (at = columns) translate([at[0], at[1], column_z[0] + 0.2]) cylinder(r = 2.25, h = column_z[1] - column_z[0] - 0.4, $fn = 24);
}

module shim() {
    color("green") difference() {
        cylinder(d = shim_d, h = shim_t);
        for (at = columns) translate([at[0], at[1], -1]) cylinder(d = screw_d, h = shim_t + 2, $fn = 32);
    }
    for (i = [0 : pixels - 1]) rotate([0, 0, 360 / pixels * i]) translate([pixel_r - pixel_w / 2, -pixel_w / 2, shim_t + 0.1])
        color(["orange", "deepskyblue", "magenta"][i % 3]) cube([pixel_w, pixel_w, pixel_h - 0.1]);
    color("#303030") translate([-10, -10, shim_t + 0.1]) cube([20, 20, 1.4]);
}

module linux_board() {
    translate([board_x, 0, base_t + below]) {
        color("darkblue") translate([0, -board_w / 2, 0]) cube([board_t, board_w, board_l]);
        color("dimgray") translate([board_t + 0.2, -18, 28]) cube([board_h - board_t - 6, 36, 36]);
        color("silver") translate([board_t + 0.2, -26, board_l - 18]) cube([15, 30, 19]);
    }
}

module cell() color("mediumseagreen") translate([cell_x, 0, base_t + 0.3]) cylinder(d = cell_d, h = cell_l);

// A part at its height in the robot, or its section through the middle.
module at(z, tint = undef) {
    if ($section) projection(cut = true) rotate([-90, 0, 0]) translate([0, 0, z]) children();
    else color(tint) translate([0, 0, z]) children();
}

// `gap` separates touching parts in a section.
module robot(apart, gap = 0) {
    top = rim_z + 3 * gap;
    at(apart) epuck();
    at(skirt_z[0], "crimson") skirt();
    at(shim_z + gap + 2 * apart) shim();
    at(shim_z + shim_t + 2 * gap + 3 * apart, "white") ring();
    at(top + 4 * apart, "lightgray") chassis();
    at(top + 5 * apart) cell();
    at(top + 5 * apart) linux_board();
    at(top + 10.5 * apart, "white") shell();
}

$section = part == "section";
if (part == "skirt") skirt();
else if (part == "ring") translate([0, 0, ring_h]) rotate([180, 0, 0]) ring();
else if (part == "chassis") chassis();
else if (part == "shell") translate([0, 0, inside + top_t]) rotate([180, 0, 0]) shell();
else if ($section) robot(0, 0.25);
else {
    robot(0);
    // Second robot, to the right of the first one in the picture that shell.mk draws.
    if (explode > 0) translate([60, 104, 0]) robot(explode);
}
