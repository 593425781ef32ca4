//! Records of evolution: their content, lineages, and incomplete records.

use crate::rig::{recorded_evolution, valid_json, xpuck};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};
use xpuck_evolve::{Algorithm, Id, Operator, PrimitiveSet, Settings};
use xpuck_kernels::tree::Tree;
use xpuck_lab::evolution_run::RECORD;
use xpuck_lab::evolution_run::lineage::{Index, individuals};
use xpuck_lab::evolution_run::record::{self, Generation, Island, Reader, Sample};

fn evolve(out: &Path, population: u32, generations: u32) {
    let text = format!("--algorithm pooled-samples --population {population} --generations {generations}");
    let arguments = "evolve --islands 3 --seconds 2 --count 3 --remeasure 2 --json --output";
    let output = xpuck().args(arguments.split(' ')).arg(out).args(text.split(' ')).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn lineage(out: &Path, more: &[&str]) -> Output {
    xpuck().args(["runs", "lineage"]).arg(out).args(more).output().unwrap()
}

#[test]
fn record_has_every_sample_and_every_ancestor() {
    let folder = recorded_evolution();
    let blocks: Vec<Generation> = Reader::open(&folder.join(RECORD)).unwrap().collect();
    assert_eq!(blocks.iter().map(|b| b.generation).collect::<Vec<_>>(), (1..=10).collect::<Vec<_>>());
    let mut born: BTreeSet<Id> = BTreeSet::new();
    let mut here: Vec<BTreeSet<Id>> = vec![BTreeSet::new(); 3];
    let mut migrations = 0;
    for block in &blocks {
        assert_eq!(block.islands.len(), 3);
        for (island, entry) in (0..).zip(&block.islands) {
            let known = &mut here[usize::from(island)];
            // Immigrants come first, because an immigrant may become a parent in the same generation.
            migrations += entry.arrivals.len();
            known.extend(&entry.arrivals);
            for birth in &entry.births {
                assert!(birth.id.island == island && born.insert(birth.id), "{} is born once, and here", birth.id);
                assert_eq!(birth.operator == Operator::Crossover, birth.parents.is_some());
                let parents = birth.parents.iter().flatten();
                assert!(parents.into_iter().all(|p| known.contains(p)), "the parents of {} were here", birth.id);
            }
            known.extend(entry.births.iter().map(|b| b.id));
            assert_eq!(entry.samples.len(), 24, "one trial for everybody");
            assert!(entry.samples.iter().all(|s| known.contains(&s.id) && s.stratum < 2 && s.fitness.is_some()));
            assert!(known.contains(&entry.champion));
        }
        assert!(block.islands.iter().flat_map(|i| &i.arrivals).all(|id| born.contains(id)));
    }
    assert!(migrations > 20, "{migrations}");
    let file = std::fs::read_to_string(folder.join("trees/champion-1.bt")).unwrap();
    let champion = blocks.last().unwrap().islands[1].champion;
    let known = individuals(&folder.join(RECORD), &[champion]).unwrap().remove(0);
    assert!(file.starts_with(&format!("# {champion}: ")) && file.ends_with(&known.tree.under_avoiding().to_string()));
}

#[test]
fn lineages_are_printed_as_trees_graphs_and_json() {
    let folder = recorded_evolution();
    let list = valid_json("runs lineage", &lineage(&folder, &["--json"]).stdout);
    assert_eq!((list["generation"].as_u64(), list["champions"].as_array().unwrap().len()), (Some(10), 3));
    let index = Index::read(&folder.join(RECORD)).unwrap();
    // Selects the individual with the most ancestors among those with two parents.
    let blocks: Vec<Generation> = Reader::open(&folder.join(RECORD)).unwrap().collect();
    let births = blocks.iter().flat_map(|b| &b.islands).flat_map(|i| &i.births);
    let child = births.filter(|b| b.parents.is_some()).max_by_key(|b| index.ancestors(b.id)).unwrap();
    let id = child.id.to_string();
    let all = valid_json("runs lineage", &lineage(&folder, &[&id, "--depth", "100", "--json"]).stdout);
    let members = all["members"].as_array().unwrap();
    let names: BTreeSet<&str> = members.iter().map(|m| m["id"].as_str().unwrap()).collect();
    assert_eq!(
        (names.len(), members.len(), &all["further"]),
        (members.len(), index.ancestors(child.id) + 1, &0.into())
    );
    assert!(members.len() > 6 && members[0]["id"] == *id, "{all}");
    for member in members {
        let parents = member["parents"].as_array().unwrap();
        assert!(parents.iter().all(|p| names.contains(p.as_str().unwrap())));
        assert_eq!(member["evaluations"].as_u64().unwrap() as usize, member["samples"].as_array().unwrap().len());
        assert!(Tree::parse(member["tree"].as_str().unwrap()).is_ok());
    }
    let text = String::from_utf8(lineage(&folder, &[&id, "--depth", "100"]).stdout).unwrap();
    for name in &names {
        let named =
            text.lines().filter(|l| l.trim_start_matches(['│', '├', '└', '─', ' ']).starts_with(&format!("{name}  ")));
        assert_eq!(named.count(), 1, "{name} has one line in\n{text}");
    }
    let near = String::from_utf8(lineage(&folder, &[&id, "--depth", "1"]).stdout).unwrap();
    assert!(near.contains(&format!("and {} ancestors further back", members.len() - 3)), "{near}");
    let dot = String::from_utf8(lineage(&folder, &[&id, "--dot"]).stdout).unwrap();
    assert!(dot.starts_with("digraph") && dot.contains(&format!(" -> \"{id}\";")), "{dot}");
}

#[test]
fn wrong_requests_are_one_line() {
    let dir = tempfile::tempdir().unwrap();
    evolve(dir.path(), 24, 1);
    let refusal = |folder: &Path, more: &[&str]| {
        let output = lineage(folder, more);
        assert!(!output.status.success() && output.stdout.is_empty());
        String::from_utf8(output.stderr).unwrap()
    };
    let unknown = refusal(dir.path(), &["1.999"]);
    assert!(
        unknown.contains("record.mcap: contains no individual 1.999 up to generation 1")
            && unknown.lines().count() == 1
    );
    assert!(refusal(dir.path(), &["three"]).contains("must be island and number with a dot, such as 3.1204"));
    assert!(refusal(&dir.path().join("trees"), &[]).contains("record.mcap: cannot be read"));
    std::fs::write(dir.path().join(RECORD), "generation,island").unwrap();
    assert!(refusal(dir.path(), &[]).contains("record.mcap: is not an evolution record"));
    let mut future = record::header();
    let number = future.windows(2).position(|two| two == b"/2").unwrap() + 1;
    future[number] = b'9';
    std::fs::write(dir.path().join(RECORD), future).unwrap();
    assert!(refusal(dir.path(), &[]).contains("has format 9; this program reads format 2"));
    std::fs::rename(dir.path().join(RECORD), dir.path().join("record.xprec")).unwrap();
    let older = refusal(dir.path(), &[]);
    assert!(older.contains("record.xprec: has format 1, which xpuck 0.1.0 reads; this program reads format 2"));
    assert_eq!(older.lines().count(), 1, "{older}");
}

#[test]
fn record_cut_off_at_any_byte_is_read_up_to_there() {
    let dir = tempfile::tempdir().unwrap();
    evolve(dir.path(), 8, 4);
    let bytes = std::fs::read(dir.path().join(RECORD)).unwrap();
    let whole: Vec<Generation> = Reader::open(&dir.path().join(RECORD)).unwrap().collect();
    let mut ends = vec![record::header().len()];
    whole.iter().for_each(|g| ends.push(ends.last().unwrap() + record::chunk(g).unwrap().len()));
    assert_eq!(bytes, [&bytes[..*ends.last().unwrap()], &record::end()].concat());
    let cut = dir.path().join("cut");
    for length in ends[0]..=bytes.len() {
        std::fs::write(&cut, &bytes[..length]).unwrap();
        let readable = ends.iter().filter(|end| **end <= length).count() - 1;
        let mut reader = Reader::open(&cut).unwrap();
        assert_eq!(reader.by_ref().collect::<Vec<_>>(), whole[..readable]);
        // The bytes after the last complete chunk count as left over, unless they are a complete end marker.
        let end = bytes[ends[readable]..length] == *record::end();
        assert_eq!(reader.left_over() as usize, if end { 0 } else { length - ends[readable] });
    }
    let mut flipped = bytes.clone();
    flipped[ends[2] + 30] ^= 1;
    std::fs::write(&cut, &flipped).unwrap();
    assert_eq!(Reader::open(&cut).unwrap().collect::<Vec<_>>(), whole[..2], "and up to what is corrupt");
    std::fs::write(dir.path().join(RECORD), &bytes[..ends[4] - 1]).unwrap();
    let output = lineage(dir.path(), &[]);
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("incomplete generation; read up to generation 3"));
}

/// The snippet of docs/evolution.md reads the samples and trees of a record exactly.
#[test]
fn record_is_readable_from_python() {
    const CHECK: &str = "import struct\n\
        bits = sum(struct.unpack('<I', struct.pack('<f', x))[0] for x in samples.fitness.dropna())\n\
        texts = [tree for tree in births.tree if isinstance(tree, str)]\n\
        print('check', len(births), len(samples), bits, len(texts), len(''.join(texts)))\n";
    let Ok(python) = std::env::var("XPUCK_RECORD_PYTHON") else {
        return xpuck_testing::skipped("records of evolution are not read from Python (make deps-record)");
    };
    let folder = recorded_evolution();
    let blocks: Vec<Generation> = Reader::open(&folder.join(RECORD)).unwrap().collect();
    let islands = || blocks.iter().flat_map(|block| &block.islands);
    let births = islands().flat_map(|island| &island.births);
    let exact = |tree: &Tree| Some(tree.to_string()).filter(|text| Tree::parse(text).unwrap().key() == tree.key());
    let texts: Vec<String> = births.clone().filter_map(|birth| exact(&birth.tree)).collect();
    let fitness: Vec<Option<f32>> = islands().flat_map(|island| &island.samples).map(|s| s.fitness).collect();
    let bits: u64 = fitness.iter().flatten().map(|fitness| u64::from(fitness.to_bits())).sum();
    let expected =
        format!("check {} {} {bits} {} {}", births.count(), fitness.len(), texts.len(), texts.concat().len());

    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/evolution.md")).unwrap();
    let snippet = text.split("```python\n").nth(1).unwrap().split("```").next().unwrap();
    let code = format!("{snippet}{CHECK}");
    let output = Command::new(python).args(["-c", &code]).current_dir(&folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("crossover") && said.lines().last() == Some(&expected), "{said} instead of {expected}");
}

#[test]
fn results_that_are_not_numbers_are_recorded_as_rejected() {
    let island = xpuck_evolve::Island::new(
        Settings { population: 8, ..Settings::for_algorithm(Algorithm::PooledSamples) },
        PrimitiveSet::in_swarm(),
        0,
        1,
    );
    let trials = island.trials();
    let mut fitness = vec![0.25; trials.len()];
    fitness[2] = f32::NAN;
    fitness[5] = f32::INFINITY;
    let samples = trials.iter().zip(fitness).map(|(trial, fitness)| Sample::observe(&island, trial, fitness)).collect();
    let entry = Island { samples, ..Island::observe(&island) };
    let generation = Generation { generation: 1, islands: vec![entry] };
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(RECORD);
    std::fs::write(&path, [record::header(), record::chunk(&generation).unwrap(), record::end()].concat()).unwrap();
    let ids: Vec<Id> = island.population().iter().map(|i| i.id).collect();
    let found = individuals(&path, &ids).unwrap();
    let refused: Vec<usize> = (0..8).filter(|i| found[*i].refused() == 1).collect();
    assert_eq!(refused, [2, 5]);
    assert_eq!((found[2].fitness(), found[0].fitness()), ((0, 0.0), (1, 0.25)));
}
