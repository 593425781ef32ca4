// What only the invocation that sees to a body needs of it; senses and registers stay in `state`.
var<private> heading: array<f32, OWN_BODIES>;
var<private> ahead: array<vec2<f32>, OWN_BODIES>;
var<private> wheels: array<vec2<f32>, OWN_BODIES>;
var<private> up: array<vec2<f32>, OWN_BODIES>;
// Bits of what the body touches: walls, inner walls, and the bodies after it.
var<private> touches: array<array<u32, TOUCH_WORDS>, OWN_BODIES>;
