//! Tests with the peer threads of two robots, which exchange messages over real sockets with real keys.

use super::*;
use std::path::Path;
use std::time::Duration;
use xpuck_experiment::Experiment;
use xpuck_wire::keyring::{self, Role};
use xpuck_wire::peer::RunName;

const RUN: RunName = RunName { number: 1, seed: 2 };

fn config(folder: &Path, id: &str) -> Config {
    let address = |n: u16| format!("ipc://{}/{n}", folder.display());
    let swarm = format!(
        "robots = [\"xp01\", \"xp02\"]\npeers = [\"{}\", \"{}\"]\n[hub]\nrobots = \"tcp://127.0.0.1:1\"\n\
         operator = \"tcp://127.0.0.1:2\"\n",
        address(1),
        address(2)
    );
    std::fs::write(folder.join("swarm.toml"), swarm).unwrap();
    let robot = format!(
        "id = \"{id}\"\nswarm = \"swarm.toml\"\n[devices]\nkind = \"virtual\"\ndirectory = \"d\"\ncamera_width = 8\n\
         camera_height = 8\n"
    );
    let file = folder.join(format!("{id}.toml"));
    std::fs::write(&file, robot).unwrap();
    Config::read(&file).unwrap()
}

fn wait_for<T>(mut ready: impl FnMut() -> Option<T>) -> T {
    for _ in 0..4000 {
        if let Some(value) = ready() {
            return value;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    panic!("nothing came in 8 s");
}

#[test]
fn exchange_drops_invalid_genes_and_revoked_robots() {
    let dir = tempfile::tempdir().unwrap();
    let keys = dir.path().join("keys");
    keyring::create_missing_pairs(&keys, &["xp01".into(), "xp02".into()]).unwrap();
    let [first, second] = ["xp01", "xp02"].map(|id| PeersLink::start(&config(dir.path(), id)).unwrap().unwrap());
    let text = "name = \"x\"\nminutes = 1.0\nsegment_minutes = 0.5\ntask = \"transport\"\n";
    let plan = Plan::new(&Experiment::parse("e", text).unwrap(), &BTreeMap::new(), Some(2)).unwrap();
    first.admit(&Arc::new(plan));
    let ask = PeerMessage::Ask { number: 3, run: RUN, after: 0 };
    // The question is repeated, because messages are lost until the connection is established.
    let heard = wait_for(|| {
        first.send(2, ask.clone());
        std::thread::sleep(Duration::from_millis(20));
        second.receive()
    });
    assert_eq!(heard, (1, PeerInput::Ask { number: 3, run: RUN, after: 0 }));
    let gene = |tree: &str| {
        let tree = tree.into();
        let gene = xpuck_wire::message::Emigrant {
            island: 2,
            number: 1,
            epoch: 0,
            tree,
            count: [1, 0],
            sum: [0.1, 0.0],
            square: [0.01, 0.0],
        };
        (1, gene)
    };
    let genes = vec![gene("successl"), gene("nonsense")];
    second.send(1, PeerMessage::Genes { number: 3, run: RUN, generation: 1, genes });
    let (from, heard) = wait_for(|| first.receive());
    let PeerInput::Genes { migrants, refused: (1, Some(_)), .. } = heard else { panic!("{heard:?}") };
    assert_eq!((from, migrants.len(), first.refused().0), (2, 1, 0));
    std::fs::remove_file(keyring::path(&keys, Role::Robot, "xp02", "pub")).unwrap();
    std::thread::sleep(Duration::from_millis(1200));
    while first.receive().is_some() {}
    wait_for(|| {
        second.send(1, ask.clone());
        std::thread::sleep(Duration::from_millis(20));
        assert!(first.receive().is_none(), "a revoked robot is heard");
        (first.refused().0 > 0).then_some(())
    });
}

#[test]
fn no_addresses_give_no_links_and_names_bind_all() {
    let dir = tempfile::tempdir().unwrap();
    let mut config = config(dir.path(), "xp01");
    config.swarm.peers.clear();
    assert!(PeersLink::start(&config).unwrap().is_none());
    for (address, listens) in [
        ("tcp://192.168.1.7:7606", "tcp://192.168.1.7:7606"),
        ("tcp://xp01.local:7606", "tcp://*:7606"),
        ("tcp://localhost:7606", "tcp://127.0.0.1:7606"),
        ("tcp://[::1]:7606", "tcp://[::1]:7606"),
        ("ipc:///tmp/a", "ipc:///tmp/a"),
    ] {
        assert_eq!(bound(address), listens);
    }
}
