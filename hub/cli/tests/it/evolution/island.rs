//! Islands and a geneserver as separate processes: signals, exit codes, a server that stops and restarts, and invalid
//! input.

use crate::evolution::runs::{contents, finished};
use crate::rig::{send_signal, valid_json, xpuck};
use nix::sys::signal::Signal;
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::time::{Duration, Instant};
use xpuck_testing::patience;
use xpuck_testing::patience::scaled;
use xpuck_wire::message::{Emigrant, ToWorker, WorkerMessage};
use xpuck_wire::socket::{Dealer, Sockets, wait};

/// Process of a geneserver.
struct Server {
    child: Child,
    lines: BufReader<ChildStdout>,
    endpoint: String,
}

impl Server {
    fn start(listen: &str, more: &[&str]) -> Server {
        let mut child = xpuck()
            .args(["serve", "geneserver", "--json", "--listen", listen])
            .args(more)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        let mut first = String::new();
        lines.read_line(&mut first).unwrap();
        let endpoint = serde_json::from_str::<Value>(&first).unwrap()["listening"].as_str().unwrap().to_string();
        Server { child, lines, endpoint }
    }

    fn free(more: &[&str]) -> Server {
        Server::start("tcp://127.0.0.1:*", more)
    }

    /// Stops the server, or waits until it ends by itself. Returns its exit code, the last line of its standard output,
    /// and its log.
    fn end(self, stop: bool) -> (i32, Value, String) {
        if stop {
            send_signal(self.child.id(), Signal::SIGTERM);
        }
        let last = self.lines.lines().map(Result::unwrap).last().unwrap();
        let output = self.child.wait_with_output().unwrap();
        let log = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code().unwrap(), serde_json::from_str(&last).unwrap(), log)
    }
}

/// Builds the command for an island whose generations take some milliseconds.
fn island(hub: &str, number: u16, dir: &Path, generations: u32) -> Command {
    let mut command = xpuck();
    command.args(["serve", "island", "--json", "--hub", hub, "--island", &number.to_string(), "--resume"]).arg(dir);
    for key in ["algorithm=\"pooled-samples\"", "settings.population=16", "seconds=1.0", "robots=2", "remeasure=2"] {
        command.args(["--set", key]);
    }
    command.args(["--set", &format!("generations={generations}")]).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Returns the number of generations in an island's table.
fn generations(dir: &Path) -> usize {
    let table = std::fs::read_to_string(dir.join("generations.csv")).unwrap_or_default();
    table.lines().count().saturating_sub(1)
}

fn wait_until(what: &str, mut ready: impl FnMut() -> bool) {
    let deadline = Instant::now() + patience();
    while !ready() {
        assert!(Instant::now() < deadline, "not in time: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn islands_exchange_genes_and_all_processes_end_with_0() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::free(&["--islands", "3"]);
    let places: Vec<_> = (0..3).map(|k| dir.path().join(k.to_string())).collect();
    let workers: Vec<Child> =
        (0..3).map(|k| island(&server.endpoint, k, &places[usize::from(k)], 10).spawn().unwrap()).collect();
    for worker in workers {
        let output = finished(worker.wait_with_output().unwrap());
        let result: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&result["generations"], &text(&output)), (&10.into(), &String::new()));
    }
    let endpoint = server.endpoint.clone();
    let (code, last, log) = server.end(false);
    assert_eq!((code, &last["done"], &last["ended"]["islands"]), (0, &true.into(), &3.into()), "{log}");
    assert_eq!(last["ended"]["exchanges"], 3 * 9, "after each generation but the last");
    // The records of the islands contain immigrants.
    let arrivals = |place: &std::path::PathBuf| {
        let record =
            xpuck_lab::evolution_run::record::Reader::open(&place.join(xpuck_lab::evolution_run::RECORD)).unwrap();
        record.map(|g| g.islands[0].arrivals.len()).sum::<usize>()
    };
    assert!(places.iter().map(arrivals).sum::<usize>() > 10);
    // An island that restarts on a finished folder ends immediately, with or without a server.
    let started = Instant::now();
    let again =
        xpuck().args(["serve", "island", "--island", "1", "--hub", &endpoint, "--resume"]).arg(&places[1]).output();
    assert!(finished(again.unwrap()).stdout.starts_with(b"island 1 is done"));
    // The restarted island does not wait for the server. An island that has just finished would wait for two minutes.
    assert!(started.elapsed() < scaled(Duration::from_secs(4)));
}

#[test]
fn sigterm_ends_a_worker_with_75_and_resuming_ends_equally() {
    let dir = tempfile::tempdir().unwrap();
    let (whole, cut) = (dir.path().join("whole"), dir.path().join("cut"));
    let nobody = "tcp://127.0.0.1:1";
    finished(island(nobody, 7, &whole, 300).output().unwrap());
    let worker = island(nobody, 7, &cut, 300).spawn().unwrap();
    wait_until("the third generation", || generations(&cut) >= 3);
    let told = Instant::now();
    send_signal(worker.id(), Signal::SIGTERM);
    let output = worker.wait_with_output().unwrap();
    assert!(told.elapsed() < scaled(Duration::from_secs(5)));
    assert_eq!(output.status.code(), Some(75), "{}", text(&output));
    assert!(text(&output).contains("continue with --resume"), "{}", text(&output));
    assert!(generations(&cut) < 300);
    // The resumed process reads the settings from the run's folder. The test kills the process with SIGKILL and resumes
    // the run again, which does not change the result.
    let mut resumed = xpuck();
    let resumed = resumed.args(["serve", "island", "--json", "--hub", nobody, "--island", "7", "--resume"]).arg(&cut);
    let mut killed = resumed.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let before = generations(&cut);
    wait_until("another generation", || generations(&cut) > before + 2);
    killed.kill().unwrap();
    killed.wait().unwrap();
    finished(resumed.stderr(Stdio::piped()).output().unwrap());
    assert!(contents(&whole) == contents(&cut), "alone, an island is a function of its number and seed");
}

#[test]
fn long_generation_does_not_delay_sigterm() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = island("tcp://127.0.0.1:1", 0, dir.path(), 2);
    let worker = command.args(["--set", "settings.population=4096", "--set", "seconds=3600.0"]).spawn().unwrap();
    wait_until("the folder", || dir.path().join("run.toml").exists());
    std::thread::sleep(Duration::from_millis(200));
    let told = Instant::now();
    send_signal(worker.id(), Signal::SIGTERM);
    let output = worker.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(75), "{}", text(&output));
    assert!(told.elapsed() < scaled(Duration::from_secs(5)), "{:?}", told.elapsed());
}

#[test]
fn restarted_server_remembers_its_emigrants() {
    let dir = tempfile::tempdir().unwrap();
    let memory = dir.path().join("server");
    let remember = ["--islands", "2", "--dir", memory.to_str().unwrap()];
    let first = Server::free(&remember);
    let endpoint = first.endpoint.clone();
    let places = [dir.path().join("0"), dir.path().join("1")];
    let workers: Vec<Child> =
        (0..2).map(|k| island(&endpoint, k, &places[usize::from(k)], 600).spawn().unwrap()).collect();
    wait_until("exchanges", || generations(&places[0]) > 10 && generations(&places[1]) > 10);
    let (code, last, log) = first.end(true);
    assert_eq!((code, &last["done"]), (75, &false.into()), "not all islands are done: try again. {log}");
    let held = last["ended"]["emigrants"].as_u64().unwrap();
    assert!(held >= 2, "{last}");
    let alone = generations(&places[0]);
    wait_until("generations without a server", || generations(&places[0]) > alone + 20);
    let second = Server::start(&endpoint, &remember);
    for worker in workers {
        let output = finished(worker.wait_with_output().unwrap());
        assert!(text(&output).contains("continuing without immigrants"), "{}", text(&output));
        assert!(text(&output).contains("is connected"), "{}", text(&output));
    }
    let (code, last, log) = second.end(false);
    assert_eq!((code, &last["done"]), (0, &true.into()), "{log}");
    // The second server has at least the emigrants of the first server. It has no more if the islands ended before they
    // reached it.
    let known = last["ended"]["emigrants"].as_u64().unwrap();
    assert!((held..=16).contains(&known), "{held} of the first server; {last}");
    // A third server starts with the emigrants of the second server.
    let third = Server::free(&remember);
    let (code, last, _) = third.end(false);
    assert_eq!((code, &last["ended"]["emigrants"], &last["ended"]["done"]), (0, &known.into(), &2.into()));
}

#[test]
fn moved_server_is_found_by_its_address_file() {
    let dir = tempfile::tempdir().unwrap();
    let (address, place) = (dir.path().join("address"), dir.path().join("0"));
    let keep = ["--islands", "1", "--address-file", address.to_str().unwrap()];
    let mut worker = xpuck();
    worker.args(["serve", "island", "--island", "0", "--address-file"]).arg(&address).arg("--resume").arg(&place);
    for key in ["settings.population=16", "seconds=1.0", "robots=2", "remeasure=2", "generations=400"] {
        worker.args(["--set", key]);
    }
    let mut first = Server::free(&keep);
    assert_eq!(std::fs::read_to_string(&address).unwrap(), format!("{}\n", first.endpoint));
    let worker = worker.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until("exchanges", || generations(&place) > 5);
    // The first server is killed, and the second server starts on another port.
    first.child.kill().unwrap();
    first.child.wait().unwrap();
    let second = Server::free(&keep);
    assert_ne!(first.endpoint, second.endpoint);
    let output = finished(worker.wait_with_output().unwrap());
    assert!(text(&output).contains(&format!("the geneserver has moved to {}", second.endpoint)), "{}", text(&output));
    let (code, last, log) = second.end(false);
    assert_eq!((code, &last["done"]), (0, &true.into()), "{log}");
    // A server that listens on all addresses writes its machine's name to the address file.
    let open = Server::start("tcp://*:*", &keep);
    let (written, port) = (std::fs::read_to_string(&address).unwrap(), open.endpoint.rsplit(':').next().unwrap());
    assert!(written.ends_with(&format!(":{port}\n")) && !written.contains("0.0.0.0"), "{written}");
    open.end(true);
    let nowhere = dir.path().join("nowhere/address");
    let refused =
        xpuck().args(["serve", "geneserver", "--listen", "tcp://127.0.0.1:*", "--address-file"]).arg(&nowhere).output();
    let refused = refused.unwrap();
    assert!(refused.status.code() == Some(1) && text(&refused).contains("nowhere/address"), "{}", text(&refused));
}

#[test]
fn damaged_or_foreign_memory_of_a_server_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().to_str().unwrap();
    let server = Server::free(&["--dir", path]);
    server.end(true);
    let refusal = |more: &[&str]| {
        let output =
            xpuck().args(["serve", "geneserver", "--listen", "tcp://127.0.0.1:*", "--dir", path]).args(more).output();
        let output = output.unwrap();
        assert_eq!((output.status.code(), output.stdout.is_empty(), text(&output).lines().count()), (Some(1), true, 1));
        text(&output)
    };
    let other = refusal(&["--policy", "ring"]);
    assert!(other.contains("geneserver.state: belongs to another configuration; remove the file"), "{other}");
    let file = dir.path().join("geneserver.state");
    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, &bytes[..bytes.len() - 1]).unwrap();
    assert!(refusal(&[]).contains("geneserver.state: has "));
    assert!(refusal(&["--policy", "star"]).contains("unknown variant `star`"));
}

/// Sends a message to a geneserver and returns the answer.
fn ask(dealer: &Dealer, message: &WorkerMessage) -> ToWorker {
    wait_until("a connection", || dealer.send(message));
    for _ in 0..1000 {
        wait(&[dealer], 10);
        if let Some(answer) = dealer.receive() {
            return answer.unwrap();
        }
    }
    panic!("no answer in 10 s");
}

#[test]
fn invalid_migrants_are_rejected_counted_and_logged() {
    let server = Server::free(&[]);
    let sockets = Sockets::new();
    let dealer = sockets.worker(&server.endpoint, "by-hand").unwrap();
    let emigrant = |island: u16, tree: String, square: f64| {
        let gene =
            Emigrant { island, number: 1, epoch: 0, tree, count: [1, 0], sum: [0.1, 0.0], square: [square, 0.0] };
        WorkerMessage::Emigrant { island, generation: 1, gene }
    };
    let tree = || String::from("movcv v_goal 45deg");
    for (bad, expected) in [
        (emigrant(5, "movcv v_gaol 3".into(), 0.01), "migrant 5.1: line 1, column 7"),
        (emigrant(5, format!("seq\n{}", "  successl\n".repeat(2100)), 0.01), "more than 2048 nodes"),
        (
            emigrant(5, format!("seq\n{}", "  mulas v_goal.x v_up.x 2 v_up.y\n".repeat(1900)), 0.01),
            "a robot has room for",
        ),
        (emigrant(5, "explore 5".into(), 0.01), "not allowed here"),
        (emigrant(5, tree(), f64::NAN), "samples are invalid"),
    ] {
        let ToWorker::Refused { island: 5, why } = ask(&dealer, &bad) else { panic!("{bad:?} was not refused") };
        assert!(why.contains(expected) && why.lines().count() == 1, "{why}");
    }
    // The server counts a valid migrant once, even if it receives the migrant several times.
    for _ in 0..3 {
        assert!(matches!(ask(&dealer, &emigrant(6, tree(), 0.01)), ToWorker::Immigrants { generation: 1, .. }));
    }
    let ToWorker::Immigrants { immigrants, .. } = ask(&dealer, &emigrant(7, "movcv v_goal 90deg".into(), 0.01)) else {
        panic!("refused")
    };
    assert_eq!(immigrants.iter().map(|g| g.tree.trim()).collect::<Vec<_>>(), [tree()]);
    // A peer that speaks ZeroMQ's protocol sends bytes that are not a message.
    let context = zmq::Context::new();
    let stranger = context.socket(zmq::DEALER).unwrap();
    stranger.set_identity(b"stranger").unwrap();
    stranger.connect(&server.endpoint).unwrap();
    stranger.send(vec![xpuck_wire::codec::VERSION, 0xc1, 0xc1], 0).unwrap();
    stranger.set_rcvtimeo(patience().as_millis() as i32).unwrap();
    let answer: ToWorker = xpuck_wire::codec::decode(&stranger.recv_bytes(0).unwrap()).unwrap();
    assert!(matches!(answer, ToWorker::Refused { .. }));
    // A peer does not speak ZeroMQ's protocol.
    let port = server.endpoint.rsplit(':').next().unwrap();
    let mut raw = std::net::TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
    raw.write_all(&[0xff; 4096]).unwrap();
    let (code, last, log) = server.end(true);
    assert_eq!((code, &last["ended"]["refused"], &last["ended"]["emigrants"]), (0, &6.into(), &2.into()), "{log}");
    assert!(log.contains("geneserver: island 5: refused: migrant 5.1: line 1, column 7"), "{log}");
    assert!(log.contains("geneserver: stranger: refused: malformed message"), "{log}");
}

#[test]
fn worker_rejects_invalid_arguments() {
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().join("3");
    finished(island("tcp://127.0.0.1:1", 3, &place, 2).output().unwrap());
    let refusal = |mut command: Command| {
        let output = command.output().unwrap();
        assert_eq!((output.status.code(), text(&output).lines().count()), (Some(1), 1), "{}", text(&output));
        text(&output)
    };
    assert!(refusal(island("tcp://127.0.0.1:1", 4, &place, 2)).contains("another configuration"));
    let mut other = xpuck();
    other.args(["serve", "island", "--island", "4", "--resume"]).arg(&place);
    assert!(refusal(other).contains("contains the run of an island other than 4"));
    assert!(refusal(island("tcp://127.0.0.1:1", 10_000, &dir.path().join("x"), 2)).contains("island = 10000"));
    assert!(refusal(island("nonsense", 0, &dir.path().join("y"), 2)).contains("`nonsense` is not an address"));
    let mut evolve = xpuck();
    evolve.args(["evolve", "--resume"]).arg(&place);
    assert!(refusal(evolve).contains("use `xpuck serve island`"));
}

#[test]
fn five_hundred_islands_get_fast_answers() {
    let arguments = ["dev", "bench", "geneserver", "--islands", "500", "--period", "1", "--seconds", "2", "--json"];
    let output = finished(xpuck().args(arguments).output().unwrap());
    let result = valid_json("dev bench geneserver", &output.stdout);
    assert_eq!((&result["messages"], &result["lost"], &result["refused"]), (&1000.into(), &0.into(), &0.into()));
    // The design target is 50 ms with 10000 islands on a machine without other load. The limit here is 500 ms.
    let limit_ms = scaled(Duration::from_millis(500)).as_secs_f64() * 1000.0;
    assert!(result["p99_ms"].as_f64().unwrap() < limit_ms, "{result}");
    let memory: Vec<f64> = result["server_mib"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
    assert!(memory[0] > 1.0 && memory[1] < 1.2 * memory[0], "a full server grows no more: {result}");
}

/// Sends `tree` as an emigrant of `island` repeatedly until the server's answer contains a gene from the island `from`.
fn until_gene_of(from: u16, hub: &str, island: u16, tree: &str) {
    let sockets = Sockets::new();
    let dealer = sockets.worker(hub, &format!("by-hand-{island}")).unwrap();
    let mut generation = 0;
    wait_until(&format!("a gene of island {from}"), || {
        generation += 1;
        let tree = tree.into();
        let gene = Emigrant { island, number: 1, epoch: 0, tree, count: [1, 0], sum: [-0.5, 0.0], square: [0.25, 0.0] };
        match ask(&dealer, &WorkerMessage::Emigrant { island, generation, gene }) {
            ToWorker::Immigrants { immigrants, .. } => immigrants.iter().any(|gene| gene.island == from),
            other => panic!("{other:?}"),
        }
    });
}

#[test]
fn genes_pass_between_servers_below_one_that_restarts() {
    let dir = tempfile::tempdir().unwrap();
    let upper = Server::free(&[]);
    let below = |numbers: &str| Server::free(&["--above", &upper.endpoint, "--numbers", numbers]);
    let (first, second) = (below("0-9"), below("10-19"));
    // Servers drop genes of another epoch. The algorithm `racing` has no epochs. With another algorithm, an epoch would
    // end before the genes have passed between the servers.
    let mut worker = island(&first.endpoint, 3, &dir.path().join("3"), 100_000);
    let worker = worker.args(["--set", "algorithm=\"racing\""]).spawn().unwrap();
    until_gene_of(3, &second.endpoint, 12, "movcv v_goal 45deg");
    until_gene_of(12, &first.endpoint, 4, "movcv v_goal 90deg");
    // An island whose number is outside the server's range ends with a permanent error.
    let output = island(&first.endpoint, 12, &dir.path().join("12"), 3).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(text(&output).contains("refuses island 12: the number of an island must be 0 to 9"), "{}", text(&output));
    // Each server accepts only island numbers of its own range, so that names of genes are unique.
    let sockets = Sockets::new();
    let stranger = sockets.worker(&first.endpoint, "stranger").unwrap();
    let ToWorker::Refused { why, .. } = ask(&stranger, &WorkerMessage::Join { island: 12, generation: 0 }) else {
        panic!("island 12 was let in")
    };
    assert!(why.contains("must be 0 to 9"), "{why}");
    let endpoint = upper.endpoint.clone();
    let (code, last, log) = upper.end(true);
    assert_eq!((code, &last["ended"]["islands"], &last["ended"]["refused"]), (0, &2.into(), &0.into()), "{log}");
    let alone = generations(&dir.path().join("3"));
    wait_until("generations without a server above", || generations(&dir.path().join("3")) > alone + 5);
    let upper = Server::start(&endpoint, &[]);
    // Island 15 sends a new gene to the second server. The gene later reaches the first server through the upper
    // server.
    until_gene_of(12, &second.endpoint, 15, "movcv v_goal 20deg");
    until_gene_of(15, &first.endpoint, 5, "movcv v_goal 10deg");
    send_signal(worker.id(), Signal::SIGTERM);
    assert_eq!(worker.wait_with_output().unwrap().status.code(), Some(75));
    for server in [first, second, upper] {
        assert_eq!(server.end(true).0, 0);
    }
}

#[test]
fn two_servers_of_the_same_numbers_are_reported() {
    let upper = Server::free(&[]);
    let below = || Server::free(&["--above", &upper.endpoint, "--numbers", "0-9"]);
    let (first, second) = (below(), below());
    let sockets = Sockets::new();
    for (server, island) in [(&first, 1), (&second, 2)] {
        let dealer = sockets.worker(&server.endpoint, &format!("island-{island}")).unwrap();
        ask(&dealer, &WorkerMessage::Join { island, generation: 0 });
        let tree = "movcv v_goal 45deg".into();
        let gene = Emigrant { island, number: 1, epoch: 0, tree, count: [1, 0], sum: [-0.5, 0.0], square: [0.25, 0.0] };
        ask(&dealer, &WorkerMessage::Emigrant { island, generation: 1, gene });
    }
    // Each server sends its genes to the upper server once a second.
    std::thread::sleep(scaled(Duration::from_secs(4)));
    let (_, _, log) = upper.end(true);
    assert!(log.contains("two processes are island 0 at the same time"), "{log}");
    assert!(log.contains("island 0 joins"), "{log}");
    let (_, _, log) = first.end(true);
    assert!(log.contains("connected to the upper geneserver at"), "{log}");
    second.end(true);
}
