// The nearest tag that the camera detects; see world/senses/tags.rs.

fn tag_in_view(towards: vec2<f32>, front: vec2<f32>, facing: vec2<f32>) -> bool {
    let forward = dot(front, towards);
    let left = cross2(front, towards);
    let square = dot(towards, towards);
    let faces = -dot(facing, towards);
    return abs(left) <= forward * TAG_HALF_VIEW && square <= params.tag_range * params.tag_range && faces > 0.0
        && faces * faces >= TAG_STEEPEST * square;
}

fn tag_hidden(b: u32, here: vec2<f32>, towards: vec2<f32>) -> bool {
    var hidden = false;
    for (var w = 0u; w < scene.walls; w++) {
        hidden = hidden || along_to_wall(w, here, towards) < TAG_HANGS;
    }
    let square = dot(towards, towards);
    for (var j = 0u; j < scene.bodies; j++) {
        let offset = place_of(j) - here;
        let along = dot(towards, offset);
        let aside = cross2(towards, offset);
        hidden = hidden || (j != b && along > 0.0 && along < square && aside * aside < radius(j) * radius(j) * square);
    }
    return hidden;
}

fn stage_tags() {
    for (var b = first_own; b < scene.robots; b += OWN_STEP) {
        let here = place_of(b);
        let front = ahead[own(b)];
        var nearest = 1e9;
        var found = vec2(0.0);
        for (var i = 0u; i < scene.tags; i++) {
            let tag = params.tag_list[i];
            let towards = tag.xy - here;
            let square = dot(towards, towards);
            if square < nearest && tag_in_view(towards, front, tag.zw) {
                if !tag_hidden(b, here, towards) {
                    nearest = square;
                    found = vec2(dot(front, towards), cross2(front, towards));
                }
            }
        }
        keep_vector(Q_TAG_X, b, found);
    }
}
