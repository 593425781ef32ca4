//! Tests of the RASP machine as a tree: small programs, faults, and random programs, which are compared with a direct
//! interpreter.

use crate::random;
use std::collections::BTreeMap;
use xpuck_kernels::analysis::machine::{Fault, LIMIT, Rasp, assemble, rasp_tree};

const LDI: i64 = 1;
const ADD: i64 = 2;
const SUB: i64 = 3;
const ST: i64 = 4;
const BP: i64 = 5;
const HALT: i64 = 0;

#[derive(Debug, PartialEq)]
enum End {
    Halted,
    Faulted,
    Going,
}

/// Direct interpreter of RASP instructions (thesis Table 3.5). Registers are created on demand.
struct Direct {
    a: i64,
    pc: i64,
    x: BTreeMap<i64, i64>,
}

impl Direct {
    fn new(program: &[i64]) -> Direct {
        Direct { a: 0, pc: 0, x: (0..).zip(program.iter().copied()).collect() }
    }

    fn get(&self, index: i64) -> Option<i64> {
        (-LIMIT..LIMIT).contains(&index).then(|| self.x.get(&index).copied().unwrap_or(0))
    }

    /// Executes one instruction. Returns `None` after a fault, and otherwise whether the machine has halted.
    fn step(&mut self) -> Option<bool> {
        let opcode = self.get(self.pc)?;
        if !(1..=5).contains(&opcode) {
            return Some(true);
        }
        if opcode == BP && self.a <= 0 {
            self.pc += 2;
            return Some(false);
        }
        let j = self.get(self.pc + 1)?;
        match opcode {
            LDI => self.a = j,
            ADD => self.a = self.a.checked_add(self.get(j)?)?,
            SUB => self.a = self.a.checked_sub(self.get(j)?)?,
            ST => {
                self.get(j)?;
                self.x.insert(j, self.a);
            }
            _ => {
                self.pc = j;
                return Some(false);
            }
        }
        self.pc += 2;
        Some(false)
    }
}

/// Runs a program on the tree and on the direct interpreter, and checks that their states are equal after each step.
/// Returns the state of the program after at most `steps` instructions: halted, faulted, or still running.
fn together(program: &[i64], steps: u32) -> End {
    let tree = rasp_tree();
    let (mut rasp, mut direct) = (Rasp::new(program).unwrap(), Direct::new(program));
    for step in 0..steps {
        let (ticked, stepped) = (rasp.tick(&tree), direct.step());
        assert_eq!(ticked.ok(), stepped, "step {step} of {program:?}");
        if stepped.is_none() {
            return End::Faulted;
        }
        assert_eq!((rasp.a(), rasp.pc()), (direct.a, direct.pc), "step {step} of {program:?}");
        for (index, value) in &direct.x {
            assert_eq!(rasp.x(*index), Some(*value), "X({index}), step {step} of {program:?}");
        }
        if stepped == Some(true) {
            return End::Halted;
        }
    }
    End::Going
}

fn run(program: &[i64]) -> Rasp {
    assert_eq!(together(program, 10_000), End::Halted);
    let mut rasp = Rasp::new(program).unwrap();
    rasp.run(&rasp_tree(), 10_000).unwrap();
    rasp
}

#[test]
fn multiplication_by_repeated_addition() {
    for (a, b) in [(1, 1), (6, 7), (-5, 12), (1234, 99), (0, 3)] {
        // X(-1) is the factor, X(-2) the number of remaining additions, X(-3) the product, X(-4) the constant 1.
        let program = [
            [LDI, a],
            [ST, -1],
            [LDI, b],
            [ST, -2],
            [LDI, 1],
            [ST, -4],
            // The loop starts at X(12).
            [LDI, 0],
            [ADD, -3],
            [ADD, -1],
            [ST, -3],
            [LDI, 0],
            [ADD, -2],
            [SUB, -4],
            [ST, -2],
            [BP, 12],
            [HALT, 0],
        ];
        assert_eq!(run(&program.concat()).x(-3), Some(a * b));
    }
}

#[test]
fn self_modifying_program_sums_array() {
    let array = [3, 1, 4, 1, 5, 9, -2, 6];
    let program = [
        [LDI, 1],
        [ST, -4],
        [LDI, array.len() as i64],
        [ST, -2],
        // The loop starts at X(8). It modifies the parameter of `add 100`, which is at X(11).
        [LDI, 0],
        [ADD, 100],
        [ADD, -3],
        [ST, -3],
        [LDI, 0],
        [ADD, 11],
        [ADD, -4],
        [ST, 11],
        [LDI, 0],
        [ADD, -2],
        [SUB, -4],
        [ST, -2],
        [BP, 8],
        [HALT, 0],
    ];
    let mut memory = program.concat();
    memory.resize(100, 0);
    memory.extend(array);
    let rasp = run(&memory);
    assert_eq!((rasp.x(-3), rasp.x(11)), (Some(27), Some(108)));
}

#[test]
fn fibonacci_numbers_fill_a_table() {
    // The program sets X(200), X(201), ... to 1, 1, 2, 3, ... Its loop increments the parameters at X(15), X(17) and
    // X(19).
    let move_along = |at| [[LDI, 0], [ADD, at], [ADD, -4], [ST, at]].concat();
    let mut program = [[LDI, 1], [ST, -4], [ST, 200], [ST, 201], [LDI, 30], [ST, -2]].concat();
    program.extend([[LDI, 0], [ADD, 200], [ADD, 201], [ST, 202]].concat());
    [15, 17, 19].into_iter().for_each(|at| program.extend(move_along(at)));
    program.extend([[LDI, 0], [ADD, -2], [SUB, -4], [ST, -2], [BP, 12], [HALT, 0]].concat());
    let rasp = run(&program);
    let numbers: Vec<i64> = (200..232).map(|i| rasp.x(i).unwrap()).collect();
    assert!(numbers.windows(3).all(|n| n[2] == n[0] + n[1]));
    assert_eq!(numbers[31], 2_178_309);
}

#[test]
fn programs_are_read_from_text() {
    let program = assemble("# three\nldi 3 st -1 # kept\nadd 7 sub 8\n\nbp 0 halt -9\n");
    assert_eq!(program, Ok(vec![LDI, 3, ST, -1, ADD, 7, SUB, 8, BP, 0, HALT, -9]));
    assert_eq!(
        assemble("ldi 1\njmp 3"),
        Err("line 2: `jmp` is not a 64-bit integer or one of halt, ldi, add, sub, st, bp".into())
    );
    assert!(assemble("9223372036854775808").is_err());
}

#[test]
fn limits_are_faults() {
    let run = |program: &[i64], steps| {
        let mut rasp = Rasp::new(program).unwrap();
        (rasp.run(&rasp_tree(), steps), rasp.pc(), rasp.a())
    };
    assert_eq!(run(&[LDI, 1, HALT], 1), (Ok(1), 2, 1));
    assert_eq!(run(&[LDI, 1, BP, 0], 7).0, Err(Fault::Steps(7)));
    assert_eq!(run(&[ADD, LIMIT], 9), (Err(Fault::Register { pc: 0, index: LIMIT }), 0, 0));
    assert_eq!(run(&[ST, -LIMIT - 1], 9), (Err(Fault::Register { pc: 0, index: -LIMIT - 1 }), 0, 0));
    let far = Err(Fault::Register { pc: i64::MAX, index: i64::MAX });
    assert_eq!(run(&[LDI, 1, BP, i64::MAX], 9), (far, i64::MAX, 1));
    assert_eq!(run(&[LDI, i64::MAX, ADD, 1], 9), (Err(Fault::Overflow { pc: 2 }), 2, i64::MAX));
    assert_eq!(run(&[LDI, i64::MIN, SUB, 0], 9), (Err(Fault::Overflow { pc: 2 }), 2, i64::MIN));
    let long = vec![0; LIMIT as usize + 1];
    assert_eq!(Rasp::new(&long).err(), Some(Fault::Length(long.len())));
    let message = Fault::Register { pc: 4, index: 5000 }.to_string();
    assert_eq!(message, "PC = 4: register X(5000) does not exist; valid are X(-4096) to X(4095)");
}

#[test]
fn random_programs_do_what_the_interpreter_does() {
    let mut ends = [0; 3];
    for seed in 0..3000 {
        let draws = &mut random::draws(seed, 0);
        let number = |draws: &mut xpuck_kernels::random::Draws| match draws.below(40) {
            0 => i64::MAX - i64::from(draws.below(3)),
            1 => i64::MIN + i64::from(draws.below(3)),
            2 => i64::from(draws.below(12_000)) - 6000,
            _ => i64::from(draws.below(48)) - 8,
        };
        let pairs = 4 + draws.below(16);
        let program: Vec<i64> = (0..pairs)
            .flat_map(|_| [i64::from(draws.below(5)) + i64::from(draws.below(20) > 0), number(draws)])
            .collect();
        ends[together(&program, 300) as usize] += 1;
    }
    assert!(ends.iter().all(|n| *n > 100), "halted, faulted, went on: {ends:?}");
}
