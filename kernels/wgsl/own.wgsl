// What only the invocation that sees to a body needs of it.
var<private> heading: array<f32, OWN_BODIES>;
var<private> ahead: array<vec2<f32>, OWN_BODIES>;
var<private> wheels: array<vec2<f32>, OWN_BODIES>;
var<private> up: array<vec2<f32>, OWN_BODIES>;
var<private> prox: array<vec2<f32>, OWN_BODIES>;
var<private> attr: array<vec2<f32>, OWN_BODIES>;
var<private> neighbours: array<f32, OWN_BODIES>;
var<private> red: array<vec2<f32>, OWN_BODIES>;
var<private> green: array<vec2<f32>, OWN_BODIES>;
var<private> blue: array<vec2<f32>, OWN_BODIES>;
var<private> goal: array<vec2<f32>, OWN_BODIES>;
var<private> scratch: array<vec3<f32>, OWN_BODIES>;
// Bits of what the body touches: walls, inner walls, and the bodies after it.
var<private> touches: array<array<u32, TOUCH_WORDS>, OWN_BODIES>;
