//! Validation of a world file.

use super::scene::{Command, REGISTERS, Scene};
use xpuck_kernels::math::vec2;

impl Scene {
    /// Validates the scene. The error is a text with the first invalid key, the problem and a remedy.
    pub fn check(&self) -> Result<(), String> {
        let [width, height] = self.size;
        within("size", width, 0.1, 100.0)?;
        within("size", height, 0.1, 100.0)?;
        within("conductivity", self.conductivity, 0.01, 10.0)?;
        self.check_body()?;
        for (name, count) in [
            ("obstacles", self.obstacles.len()),
            ("lines", self.lines.len()),
            ("lamps", self.lamps.len()),
            ("areas", self.areas.len()),
            ("times", self.times.len()),
            ("scripts", self.scripts.len()),
            ("starts", self.starts.len()),
        ] {
            if count > super::scene::MAX_ENTRIES {
                return Err(format!("{name} has {count} entries; at most {} are allowed", super::scene::MAX_ENTRIES));
            }
        }
        for (i, rect) in self.obstacles.iter().enumerate() {
            let key = format!("obstacles[{i}]");
            within(&key, rect.x, 0.0, width)?;
            within(&key, rect.y, 0.0, height)?;
            within(&key, rect.width, 0.0, width)?;
            within(&key, rect.height, 0.0, height)?;
        }
        self.check_lines()?;
        self.check_lamps()?;
        self.check_scripts()?;
        self.check_starts()
    }

    fn check_body(&self) -> Result<(), String> {
        let body = &self.body;
        within("body.radius", body.radius, 0.001, 0.45 * self.size[0].min(self.size[1]))?;
        within("body.speed", body.speed, 1e-9, 1e-4)?;
        within("body.fork_up", body.fork_up, 1e-6, 1.0)?;
        within("body.fork_down", body.fork_down, 1e-6, 1.0)?;
        within("body.line_sensor", body.line_sensor, 0.0, 2.0)?;
        let noise = &self.noise;
        for (key, variance) in [
            ("noise.bumper", noise.bumper),
            ("noise.light", noise.light),
            ("noise.line", noise.line),
            ("noise.speed", noise.speed),
            ("noise.heading", noise.heading),
            ("noise.obstacle", noise.obstacle),
        ] {
            within(key, variance, 0.0, 1000.0)?;
        }
        Ok(())
    }

    fn check_lines(&self) -> Result<(), String> {
        for (i, line) in self.lines.iter().enumerate() {
            let key = format!("lines[{i}]");
            within(&format!("{key}.width"), line.width, 0.001, 1.0)?;
            within(&format!("{key}.value"), line.value, 0.0, 255.0)?;
            if !(2..=64).contains(&line.points.len()) {
                return Err(format!("{key}.points has {} points; 2 to 64 are allowed", line.points.len()));
            }
            for [x, y] in &line.points {
                within(&format!("{key}.points"), *x, 0.0, self.size[0])?;
                within(&format!("{key}.points"), *y, 0.0, self.size[1])?;
            }
        }
        Ok(())
    }

    /// Checks that each lamp lights at least one place where a robot does not overlap walls or obstacles.
    fn check_lamps(&self) -> Result<(), String> {
        for (i, lamp) in self.lamps.iter().enumerate() {
            let key = format!("lamps[{i}]");
            within(&format!("{key}.z"), lamp.z, 0.01, 100.0)?;
            if lamp.intensity == 0.0 {
                return Err(format!(
                    "{key}.intensity is 0, so the lamp has no effect; set an intensity above 0 or remove the lamp"
                ));
            }
            within(&format!("{key}.intensity"), lamp.intensity, 0.0, 1000.0)?;
            let reach = super::light::lit_radius(lamp, self.conductivity);
            let steps = 16;
            let free = |x: f32, y: f32| {
                let r = self.body.radius;
                let inside = x >= r && y >= r && x <= self.size[0] - r && y <= self.size[1] - r;
                inside && self.obstacles.iter().all(|rect| rect.distance(vec2(x, y)) >= r)
            };
            let cells = (-steps..=steps).flat_map(|a| (-steps..=steps).map(move |b| (a, b)));
            let lit = cells.filter(|(a, b)| a * a + b * b <= steps * steps);
            let share = reach / steps as f32;
            if !lit.clone().any(|(a, b)| free(lamp.x + share * a as f32, lamp.y + share * b as f32)) {
                return Err(format!("{key} illuminates no place that a robot can reach; move the lamp"));
            }
        }
        Ok(())
    }

    fn check_scripts(&self) -> Result<(), String> {
        let script = |key: String, number: usize| match number {
            n if (1..=self.scripts.len()).contains(&n) => Ok(()),
            n => Err(format!("{key} is {n}; it must be the number of a script, 1 to {}", self.scripts.len())),
        };
        for (i, area) in self.areas.iter().enumerate() {
            script(format!("areas[{i}].script"), area.script)?;
            if area.fork.is_some_and(|fork| !(1..=4).contains(&fork)) {
                return Err(format!("areas[{i}].fork must be 1 (up), 2 (down), 3 (moving up) or 4 (moving down)"));
            }
        }
        for (i, event) in self.times.iter().enumerate() {
            script(format!("times[{i}].script"), event.script)?;
            if event.count > 1 && event.period == 0 {
                return Err(format!("times[{i}].period is 0, but count is {}; set a period in ms", event.count));
            }
        }
        for (i, commands) in self.scripts.iter().enumerate() {
            for command in commands {
                let (what, number, most) = match *command {
                    Command::On(lamp) | Command::Off(lamp) => ("lamp", lamp, self.lamps.len()),
                    Command::Arm(area) => ("area", area, self.areas.len()),
                    Command::Select(register) => ("register", usize::from(register) + 1, REGISTERS),
                    Command::Tell(_) | Command::Put(_) => continue,
                };
                if !(1..=most).contains(&number) {
                    return Err(format!(
                        "scripts[{i}] refers to {what} {number}, which does not exist; the last one is {most}"
                    ));
                }
            }
        }
        Ok(())
    }

    fn check_starts(&self) -> Result<(), String> {
        if self.starts.is_empty() {
            return Err("starts is empty; add a start pose, such as { x = 0.5, y = 0.5, heading = 0 }".into());
        }
        let r = self.body.radius;
        for (i, start) in self.starts.iter().enumerate() {
            let key = format!("starts[{i}]");
            within(&key, start.x, r, self.size[0] - r)?;
            within(&key, start.y, r, self.size[1] - r)?;
            within(&key, start.heading, -100.0, 100.0)?;
            if self.obstacles.iter().any(|rect| rect.distance(vec2(start.x, start.y)) < r) {
                return Err(format!("{key} is in an obstacle; move it"));
            }
        }
        Ok(())
    }
}

fn within(key: &str, value: f32, low: f32, high: f32) -> Result<(), String> {
    if (low..=high).contains(&value) { Ok(()) } else { Err(format!("{key} is {value}; it must be {low} to {high}")) }
}
