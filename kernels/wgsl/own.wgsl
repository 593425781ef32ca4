// Variables of a body that only its invocation needs; senses and registers stay in `state`.
var<private> heading: array<f32, OWN_BODIES>;
var<private> ahead: array<vec2<f32>, OWN_BODIES>;
var<private> wheels: array<vec2<f32>, OWN_BODIES>;
var<private> up: array<vec2<f32>, OWN_BODIES>;
// Bit mask of the objects that the body touches: walls, inner walls, and bodies with a greater index.
var<private> touches: array<array<u32, TOUCH_WORDS>, OWN_BODIES>;
