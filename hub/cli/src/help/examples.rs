//! Two examples or more of every command, which its help and its manual page show. A test reads each as a command line.

use clap::Command;

/// Commands by their names below `xpuck`, with examples; what stands after ` # ` is for people.
const EXAMPLES: [(&str, &[&str]); 130] = [
    (
        "demo",
        &[
            "xpuck demo --minutes 4",
            "xpuck demo --tree docs/trees/806768.bt --robots 5 --speed 4",
            "xpuck demo --world docs/worlds/aggregation.toml",
            "xpuck demo --foxglove --stream 7605  # to watch it with Foxglove and PlotJuggler",
        ],
    ),
    (
        "simulate",
        &[
            "xpuck simulate docs/trees/806768.bt --scenario b --runs 200",
            "xpuck simulate docs/trees/806768.bt --scenario b --run 3 --svg trajectories.svg --html replay.html",
            "xpuck simulate docs/trees/806768.bt --scenario b --run 3 --pdf trajectories.pdf --mp4 run.mp4",
            "xpuck simulate docs/trees/attract.bt --world docs/worlds/aggregation.toml",
            "xpuck simulate --mix 7:docs/trees/806768.bt,2:docs/trees/explore.bt",
        ],
    ),
    ("bench", &["xpuck bench --engine simd", "xpuck bench --engine simd --scaling"]),
    (
        "bench geneserver",
        &[
            "xpuck bench geneserver --islands 100 --period 1 --seconds 5",
            "xpuck bench geneserver --islands 10000 --period 10 --seconds 30",
        ],
    ),
    ("snapshot", &["xpuck snapshot xp03 --out xp03.png", "xpuck snapshot xp03 --out xp03.png --timeout 20"]),
    ("bench genes", &["xpuck bench genes --seeds 3 --generations 10", "xpuck bench genes --population 24 --json"]),
    ("bench hub", &["xpuck bench hub --robots 10", "xpuck bench hub --robots 10,50,100,200"]),
    (
        "image",
        &[
            "xpuck image --board pi5 --out pi5.xpb --blobs blobs",
            "xpuck image --board qemu-arm64 --out vm.xpb --package target/deb/xpuckd_0.2.0_arm64.deb",
            "xpuck image --boards",
        ],
    ),
    (
        "flash",
        &[
            "xpuck flash --robot xp07 --image pi5.xpb --device /dev/sdb",
            "xpuck flash --all --image pi5.xpb --device /dev/mmcblk0  # one card after the other",
            "xpuck flash --robot xp01 --image vm.xpb --device card.img  # a file of a card's size: truncate -s 4G card.img",
        ],
    ),
    ("study", &["xpuck study size docs/trees/806768.bt", "xpuck study perturb docs/trees/806768.bt --svg starts.svg"]),
    (
        "study size",
        &[
            "xpuck study size docs/trees/806768.bt --svg size.svg",
            "xpuck study size docs/trees/806768.bt --sizes 1,2,4,9 --runs 200 --json",
        ],
    ),
    (
        "study mix",
        &[
            "xpuck study mix docs/trees/806768.bt docs/trees/explore.bt --svg mix.svg",
            "xpuck study mix docs/trees/806768.bt docs/trees/attract.bt --robots 5 --runs 200",
        ],
    ),
    (
        "study hetero",
        &[
            "xpuck study hetero runs/first runs/second runs/third --svg hetero.svg",
            "xpuck study hetero docs/trees --mixed 100 --drawn 20 --csv hetero.csv",
        ],
    ),
    (
        "study perturb",
        &[
            "xpuck study perturb docs/trees/806768.bt --svg starts.svg",
            "xpuck study perturb docs/trees/806768.bt --runs 2000 --around 0.5,0,3.14 --by 0.05,0.05,0.2",
        ],
    ),
    (
        "study ablate",
        &[
            "xpuck study ablate docs/trees/806768.bt --svg ablation.svg",
            "xpuck study ablate docs/trees/806768.bt --robots 3 --runs 1000 --csv ablation.csv",
        ],
    ),
    (
        "study branches",
        &[
            "xpuck study branches docs/trees/806768.bt --svg branches.svg",
            "xpuck study branches docs/trees/806768.bt --robots 2 --runs 20 --json",
        ],
    ),
    (
        "study path",
        &[
            "xpuck study path docs/trees/806768.bt --svg path.svg  # one robot at (0.3, 0), looking away from the frisbee",
            "xpuck study path docs/trees/806768.bt --frisbee 0.65,0 --from 0.8,0.05,180 --from 0.8,-0.05,180 --html path.html",
        ],
    ),
    (
        "study tune",
        &[
            "xpuck study tune docs/trees/806768.bt --out tuned.bt --svg tuned.svg",
            "xpuck study tune docs/trees/806768.bt --robots 4 --generations 10 --sizes 2,9 --json",
        ],
    ),
    (
        "report",
        &[
            "xpuck report last --out report",
            "xpuck report runs/demo-1 runs/demo-2 --out report --single runs/one-island",
        ],
    ),
    (
        "study adapt",
        &[
            "xpuck study adapt --before 60 --after 60 --pace 10 --set settings.population=128 --svg adapt.svg",
            "xpuck study adapt --change left-edge=0.7 --seeds 3 --json",
        ],
    ),
    (
        "study transfer",
        &[
            "xpuck study transfer docs/transfer/polar.toml docs/transfer/cartesian.toml --svg vectors.svg",
            "xpuck study transfer docs/transfer/masked.toml docs/transfer/bare.toml --real docs/transfer/reality.toml --csv fidelity.csv",
        ],
    ),
    (
        "study migrate",
        &[
            "xpuck study migrate --svg migration.svg",
            "xpuck study migrate --rates 1,8,0 --seeds 5 --set islands=4 --set settings.population=64",
        ],
    ),
    (
        "study scale",
        &[
            "xpuck study scale --svg scale.svg  # a million volunteers, a minute or two",
            "xpuck study scale --islands 10000 --network cluster --topologies star,tree:100 --generations 60 --json",
        ],
    ),
    ("engines", &["xpuck engines", "xpuck engines --measure"]),
    (
        "evolve",
        &[
            "xpuck evolve --islands 2 --population 16 --generations 2 --remeasure 10  # seconds, to see how it goes",
            "xpuck evolve --generations 20 --out runs/first",
            "xpuck evolve --resume runs/first",
            "xpuck evolve --set settings.node_cost=0.001 --front  # short trees, and what each node more is worth",
            "xpuck evolve --set settings.depth=6 --set migration.every=2",
        ],
    ),
    (
        "lineage",
        &[
            "xpuck lineage runs/first",
            "xpuck lineage runs/first 3.1204 --depth 6",
            "xpuck lineage runs/first 3.1204 --dot | dot -Tsvg > lineage.svg",
        ],
    ),
    (
        "remeasure",
        &[
            "xpuck remeasure runs/first",
            "xpuck remeasure runs/first --every 1 --csv first.csv",
            "xpuck remeasure runs/published runs/ours --svg ratchet.svg",
        ],
    ),
    (
        "sweep",
        &[
            "xpuck sweep docs/sweeps/tiny.toml --list",
            "xpuck sweep docs/sweeps/tiny.toml --out runs/tiny",
            "xpuck sweep docs/sweeps/tiny.toml --out runs/tiny --only 3  # beside other processes",
            "xpuck sweep docs/sweeps/tiny.toml --out /shared/tiny --slurm --time 1:00:00 --mem 1G",
        ],
    ),
    (
        "geneserver",
        &[
            "xpuck geneserver --islands 3",
            "xpuck geneserver --listen tcp://*:7610 --islands 9 --policy ring --dir run/geneserver",
            "xpuck geneserver --listen tcp://*:7611 --above tcp://upper:7610 --numbers 100-199  # below another one",
        ],
    ),
    ("serve", &["xpuck serve world-sim", "xpuck serve robot-sim --world", "xpuck serve population-manager"]),
    (
        "serve robot-sim",
        &[
            "xpuck serve robot-sim --world",
            "xpuck serve robot-sim --world localhost:7771 --task docs/gateway/pursuit.toml --port 7721",
        ],
    ),
    (
        "serve population-manager",
        &[
            "xpuck serve population-manager --generations 50 --out run/avoid",
            "xpuck serve population-manager --robot-sim localhost:7720 --robot-sim localhost:7721 --population 60",
        ],
    ),
    (
        "draw-path",
        &[
            "xpuck draw-path --robot docs/gateway/avoid.toml run/avoid/best.txt --svg path.svg",
            "xpuck draw-path --robot docs/gateway/pursuit.toml a.txt --robot docs/gateway/evasion.toml b.txt --svg path.svg",
        ],
    ),
    (
        "watch",
        &[
            "xpuck watch localhost:3200",
            "xpuck watch localhost:60001 --svg scene.svg",
            "xpuck watch robocup.local:3200 --json --seconds 10",
        ],
    ),
    (
        "serve monitors",
        &[
            "xpuck serve monitors  # then: RoboViz, or rcssmonitor3d",
            "xpuck serve monitors --replay last --speed 4 --loop --no-rsmp",
        ],
    ),
    (
        "serve world-sim",
        &[
            "xpuck serve world-sim",
            "xpuck serve world-sim --world docs/gateway/room.toml --ports 2  # two populations in one world",
        ],
    ),
    ("hub", &["xpuck hub --config hub.toml", "xpuck hub --config myswarm/hub.toml"]),
    (
        "island",
        &[
            "xpuck island --island 1 --resume run/island-1",
            "xpuck island --hub tcp://127.0.0.1:7610 --island 3 --resume run/island-3 run.toml",
        ],
    ),
    ("arena", &["xpuck arena --config arena.toml", "xpuck arena --config myswarm/arena.toml"]),
    ("console", &["xpuck console", "xpuck console --json"]),
    (
        "status",
        &[
            "xpuck status",
            "xpuck status --watch",
            "xpuck status --watch --json | jq .run_seconds  # a line every second",
        ],
    ),
    ("robots", &["xpuck robots", "xpuck robots --json"]),
    ("log", &["xpuck log --follow", "xpuck log --robot xp03", "xpuck log --after 120 --json"]),
    ("top", &["xpuck top", "xpuck top --key keys/observers/guest.key  # to look alone"]),
    ("note", &["xpuck note the lamp over the left end is off", "xpuck note --key keys/operators/ada.key moved xp03"]),
    ("identify", &["xpuck identify xp03", "xpuck identify all"]),
    ("hold", &["xpuck hold xp03", "xpuck hold xp03 xp04 --json"]),
    ("release", &["xpuck release xp03", "xpuck release all  # all that are held"]),
    ("reboot", &["xpuck reboot xp03", "xpuck reboot xp03 xp04"]),
    ("drive", &["xpuck drive xp03", "xpuck drive xp03 --speed 0.05", "xpuck drive --pipe --rate 20"]),
    (
        "update",
        &[
            "xpuck update --deb target/deb/xpuckd_0.3.0_arm64.deb --boards pi5",
            "xpuck update --deb xpuckd_0.3.0_arm64.deb --robots xp01,xp02 --canary 2",
            "xpuck update --status",
            "xpuck update --abort",
        ],
    ),
    (
        "park",
        &[
            "xpuck park",
            "xpuck park --scenario b --seed 3 --own",
            "xpuck park --robots xp01,xp02 --pose -0.8,0.2,0 --pose -0.8,-0.2,90",
        ],
    ),
    (
        "trials",
        &[
            "xpuck trials docs/trees/806768.bt --runs 20 --seconds 60",
            "xpuck trials docs/trees/806768.bt --runs 30 --out trials  # goes on with ten more",
        ],
    ),
    ("push", &["xpuck push drive.toml --robots xp01,xp02", "xpuck push evolution.toml --robots all"]),
    ("doctor", &["xpuck doctor", "xpuck doctor --config myswarm/hub.toml --json"]),
    (
        "start",
        &[
            "xpuck start transport.toml",
            "xpuck start docs/experiments/aggregation.toml --seed 7 --wait 5",
            "xpuck start transport.toml --no-wait",
        ],
    ),
    (
        "pause",
        &[
            "xpuck pause",
            "xpuck pause xp03",
            "xpuck pause --hub tcp://127.0.0.1:7612 --key keys/operators/operator.key",
        ],
    ),
    (
        "resume",
        &[
            "xpuck resume",
            "xpuck resume xp03",
            "xpuck resume --hub tcp://127.0.0.1:7612 --key keys/operators/operator.key",
        ],
    ),
    ("next", &["xpuck next", "xpuck next --hub tcp://127.0.0.1:7612 --key keys/operators/operator.key"]),
    (
        "stop",
        &[
            "xpuck stop",
            "xpuck stop xp03",
            "xpuck stop --json",
            "xpuck stop --hub tcp://127.0.0.1:7612 --key keys/operators/operator.key",
        ],
    ),
    (
        "init",
        &[
            "xpuck init myswarm",
            "xpuck init lab --kind e-puck2 --robots 4 --address 192.168.1.2",
            "xpuck init lab --board pi5 --robots 9 --address 192.168.1.2",
        ],
    ),
    ("keys", &["xpuck keys new --robots swarm.toml", "xpuck keys list"]),
    ("keys new", &["xpuck keys new --robots swarm.toml", "xpuck keys new --dir /etc/xpuck/keys"]),
    ("keys make", &["xpuck keys make ada", "xpuck keys make geneserver --dir run"]),
    (
        "keys enrol",
        &[
            "xpuck keys enrol ada.pub --role operator",
            "xpuck keys enrol guest.pub --role observer --dir /etc/xpuck/keys",
        ],
    ),
    ("keys revoke", &["xpuck keys revoke ada", "xpuck keys revoke xp03 --role robot"]),
    ("keys list", &["xpuck keys list", "xpuck keys list --dir myswarm/keys"]),
    ("runs", &["xpuck runs list", "xpuck runs show last"]),
    ("runs list", &["xpuck runs list", "xpuck runs list --runs myswarm/runs --json"]),
    ("runs show", &["xpuck runs show last", "xpuck runs show transport-4217 --json"]),
    (
        "runs export",
        &[
            "xpuck runs export last --parquet tables",
            "xpuck runs export last --csv tables",
            "xpuck runs export last --foxglove last.mcap  # for 3D panels",
            "xpuck runs export last --mp4 last.mp4 --from 60 --to 120 --film-speed 4",
        ],
    ),
    ("runs verify", &["xpuck runs verify last", "xpuck runs verify transport-4217 --json"]),
    ("runs recover", &["xpuck runs recover last", "xpuck runs recover run.mcap.open"]),
    ("runs replay", &["xpuck runs replay last --console 127.0.0.1:7700", "xpuck runs replay last"]),
    (
        "runs table",
        &["xpuck runs table", "xpuck runs table --runs runs/sixteen-minutes --printed docs/experiments/table-8.3.toml"],
    ),
    ("check", &["xpuck check docs/trees/806768.bt docs/experiments/transport.toml", "xpuck check myswarm"]),
    ("schema", &["xpuck schema world", "xpuck schema --out schemas"]),
    (
        "tree",
        &["xpuck tree explain docs/trees/806768.bt", "xpuck tree convert docs/trees/806768.bt --to svg -o 806768.svg"],
    ),
    (
        "body",
        &[
            "xpuck body evolve --seed 1 --out walkers",
            "xpuck body simulate walkers/bodies/island-0.prif --brain walkers/bodies/island-0.nndf",
        ],
    ),
    (
        "body evolve",
        &[
            "xpuck body evolve --seed 1 --out walkers",
            "xpuck body evolve docs/bodies/large.toml --islands 4 --out large  # a budget three times as large",
            "xpuck body evolve --resume walkers --evaluations 3200  # past its end",
            "xpuck body evolve --from docs/bodies/walker.prif --brain docs/bodies/walker.nndf --out children",
        ],
    ),
    (
        "body curves",
        &["xpuck body curves runs/seed-* -o curves.svg", "xpuck body curves walkers children -o curves.svg --json"],
    ),
    (
        "body show",
        &["xpuck body show docs/bodies/walker.prif", "xpuck body show docs/bodies/walker.prif --svg walker.svg"],
    ),
    (
        "body simulate",
        &[
            "xpuck body simulate docs/bodies/walker.prif --brain docs/bodies/walker.nndf",
            "xpuck body simulate docs/bodies/walker.prif --seed 3 --html walk.html  # with a brain drawn at random",
        ],
    ),
    (
        "body serve",
        &[
            "xpuck body serve docs/bodies/walker.prif --brain docs/bodies/walker.nndf  # then: RoboViz, or rcssmonitor3d",
            "xpuck body serve docs/bodies/walker.prif --brain docs/bodies/walker.nndf --speed 5 --host 0.0.0.0  # for other machines",
        ],
    ),
    (
        "body export",
        &[
            "xpuck body export docs/bodies/walker.prif --to urdf -o walker.urdf",
            "xpuck body export docs/bodies/walker.prif --to json",
        ],
    ),
    (
        "body import",
        &["xpuck body import walker.urdf -o walker.prif", "xpuck body import walker.urdf --brain walker.nndf"],
    ),
    (
        "kilobot",
        &[
            "xpuck kilobot evolve --runs 1 --algorithm racing --out foragers",
            "xpuck kilobot simulate foragers/trees/racing.bt --svg ways.svg",
            "xpuck kilobot hex foragers/trees/racing.bt --kilolib kilolib -o forage.hex",
        ],
    ),
    (
        "kilobot evolve",
        &[
            "xpuck kilobot evolve --runs 1 --algorithm racing --out foragers  # a minute or two",
            "xpuck kilobot evolve docs/experiments/kilobot-foraging.toml --out chapter-4  # the whole chapter",
            "xpuck kilobot evolve --resume chapter-4",
        ],
    ),
    (
        "kilobot simulate",
        &[
            "xpuck kilobot simulate docs/kilobots/figure-4-6.bt",
            "xpuck kilobot simulate docs/kilobots/figure-4-6.bt --robots 100 --reduce --svg ways.svg",
        ],
    ),
    (
        "kilobot hex",
        &[
            "xpuck kilobot hex docs/kilobots/figure-4-6.bt --kilolib kilolib -o forage.hex",
            "xpuck kilobot hex docs/kilobots/figure-4-6.bt --kilolib kilolib -D LIGHT_WAIT=380 -o forage.hex",
            "xpuck kilobot hex docs/kilobots/figure-4-6.bt --for simavr -o simulated.hex",
        ],
    ),
    ("automaton", &["xpuck automaton explain docs/curricula/hand-made.txt", "xpuck automaton diff old.txt new.txt"]),
    ("automaton fmt", &["xpuck automaton fmt docs/curricula/hand-made.txt", "xpuck automaton fmt best.txt > mine.txt"]),
    (
        "automaton explain",
        &[
            "xpuck automaton explain docs/curricula/hand-made.txt",
            "xpuck automaton explain run/steps/2-follow/best.txt",
        ],
    ),
    (
        "automaton simplify",
        &["xpuck automaton simplify docs/curricula/hand-made.txt", "xpuck automaton simplify run/controller.txt"],
    ),
    (
        "automaton draw",
        &[
            "xpuck automaton draw docs/curricula/hand-made.txt --module lnflwer -o follower.svg",
            "xpuck automaton draw docs/curricula/wanderer.txt -o wanderer.svg",
        ],
    ),
    (
        "automaton diff",
        &[
            "xpuck automaton diff docs/curricula/hand-made.txt run/controller.txt",
            "xpuck automaton diff run/steps/2-follow/best.txt run/steps/4-follow-and-load/best.txt",
        ],
    ),
    (
        "automaton to-tree",
        &[
            "xpuck automaton to-tree docs/curricula/wanderer.txt > wanderer.bt",
            "xpuck automaton to-tree mine.txt --module navigate",
        ],
    ),
    (
        "automaton from-tree",
        &["xpuck automaton from-tree wanderer.bt", "xpuck automaton from-tree wanderer.bt > wanderer.txt"],
    ),
    (
        "automaton try",
        &[
            "xpuck automaton try --curriculum docs/curricula/cargo-creative.toml  # the controller made by hand",
            "xpuck automaton try run/controller.txt --curriculum docs/curricula/cargo-creative.toml --svg way.svg",
        ],
    ),
    ("tree check", &["xpuck tree check docs/trees/806768.bt", "xpuck tree check tree.txt --from text"]),
    ("tree fmt", &["xpuck tree fmt tree.bt", "xpuck tree fmt tree.bt --write"]),
    (
        "tree convert",
        &[
            "xpuck tree convert tree.bt --to xml -o tree.xml",
            "xpuck tree convert tree.xml --to text -o tree.bt",
            "xpuck tree convert docs/kilobots/figure-4-6.bt --to kilobot -o table.c",
        ],
    ),
    (
        "tree reduce",
        &["xpuck tree reduce docs/trees/806768-evolved.bt", "xpuck tree reduce docs/trees/806768-evolved.bt --explain"],
    ),
    ("tree equal", &["xpuck tree equal a.bt b.bt", "xpuck tree equal a.bt b.bt --runs 1000"]),
    ("tree memoryless", &["xpuck tree memoryless docs/trees/polygon.bt", "xpuck tree memoryless tree.xml"]),
    (
        "tree from-fsm",
        &[
            "xpuck tree from-fsm docs/trees/machines/rest.toml",
            "xpuck tree from-fsm docs/trees/machines/rest.toml -o rest.bt",
        ],
    ),
    (
        "tree from-individual",
        &[
            "xpuck tree from-individual docs/gateway/own.txt",
            "xpuck tree from-individual run/own/best.txt --task own.toml > best.bt",
        ],
    ),
    ("tree to-fsm", &["xpuck tree to-fsm docs/trees/explore.bt", "xpuck tree to-fsm docs/trees/806768.bt --to dot"]),
    ("tree rasp", &["xpuck tree rasp", "xpuck tree rasp docs/trees/machines/multiply.rasp"]),
    (
        "tree explain",
        &[
            "xpuck tree explain docs/trees/806768.bt",
            "xpuck tree explain docs/trees/806768.bt --simulate --to svg -o 806768.svg",
        ],
    ),
    ("tree nodes", &["xpuck tree nodes", "xpuck tree nodes | less"]),
    ("calibrate", &["xpuck calibrate run last --into calibration.toml", "xpuck calibrate steering -o steering.svg"]),
    (
        "calibrate collisions",
        &[
            "xpuck calibrate collisions poses.csv",
            "xpuck calibrate collisions poses.csv --into calibration.toml -o collisions.svg",
        ],
    ),
    (
        "calibrate ir",
        &["xpuck calibrate ir card.csv", "xpuck calibrate ir card.csv --robot xp01 --into calibration.toml"],
    ),
    (
        "calibrate camera",
        &["xpuck calibrate camera turns.csv", "xpuck calibrate camera turns.csv --into calibration.toml"],
    ),
    ("calibrate latency", &["xpuck calibrate latency drive.csv", "xpuck calibrate latency drive.csv -o latency.svg"]),
    (
        "calibrate friction",
        &[
            "xpuck calibrate friction gauge.csv",
            "xpuck calibrate friction gauge.csv --robot-mass 0.45 --into calibration.toml",
        ],
    ),
    ("calibrate steering", &["xpuck calibrate steering", "xpuck calibrate steering --latency 0.2 -o steering.svg"]),
    (
        "calibrate run",
        &[
            "xpuck calibrate run last --into calibration.toml",
            "xpuck calibrate run last --had calibration.toml -o run.svg",
        ],
    ),
    (
        "calibrate record",
        &["xpuck calibrate record ir -o ir.csv", "xpuck calibrate record latency --seed 3 --delay 0.2 -o latency.csv"],
    ),
    ("world", &["xpuck world check docs/worlds/foraging.toml", "xpuck world check world.toml"]),
    ("world check", &["xpuck world check docs/worlds/foraging.toml", "xpuck world check docs/worlds/*.toml"]),
    (
        "world export",
        &[
            "xpuck world export docs/worlds/transport.toml --tree docs/trees/806768.bt --to argos --runs 20 --out argos",
            "xpuck world export docs/worlds/clutter.toml --tree docs/trees/explore.bt --to webots --out webots",
        ],
    ),
    ("world import", &["xpuck world import arena.argos", "xpuck world import arena.argos -o world.toml"]),
    (
        "markers",
        &[
            "xpuck markers 16  # shows 16 patterns, front up",
            "xpuck markers 9 --svg sheet.svg  # a sheet to print at 100 % (20 patterns fit A4)",
            "xpuck markers 9 --json  # places in mm from the robot's middle: x forward, y to the left",
        ],
    ),
    (
        "fuzz-swarm",
        &[
            "xpuck fuzz-swarm --seeds 100  # a hundred seeds",
            "xpuck fuzz-swarm --seed 7 --trace  # what happens in one",
            "xpuck fuzz-swarm --seeds 20 --mutant old-run  # is this bug found?",
            "xpuck fuzz-swarm --seconds 86400  # a day, to see that memory stays flat",
        ],
    ),
    (
        "enrol",
        &[
            "xpuck enrol xp10",
            "xpuck enrol xp10 --public xp10.pub --like xp01  # its key was made on its board: xpuck keys make xp10",
        ],
    ),
    (
        "replace",
        &["xpuck replace xp03", "xpuck replace xp03 --public xp03.pub  # with a key that was made on the new board"],
    ),
    ("completions", &["xpuck completions bash", "xpuck completions zsh > ~/.zfunc/_xpuck"]),
    ("man", &["xpuck man man", "xpuck man /usr/local/share/man/man1"]),
];

/// The command line's definition with the examples in its help.
pub fn with_examples(program: Command) -> Command {
    below(program, "")
}

fn below(command: Command, path: &str) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_string()).collect();
    names.into_iter().fold(command, |command, name| {
        let path = format!("{path} {name}").trim().to_string();
        command.mut_subcommand(&name, |sub| {
            let sub = below(sub, &path);
            let Some((_, examples)) = EXAMPLES.iter().find(|(known, _)| *known == path) else { return sub };
            let lines: String = examples.iter().map(|example| format!("\n  {example}")).collect();
            let more = sub.get_after_help().map(|text| format!("\n\n{text}")).unwrap_or_default();
            sub.after_help(format!("Examples:{lines}{more}"))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program;

    fn walk(command: &Command, path: &str, found: &mut Vec<String>) {
        for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
            let path = format!("{path} {}", sub.get_name()).trim().to_string();
            found.push(path.clone());
            walk(sub, &path, found);
        }
    }

    #[test]
    fn every_command_has_two_examples_and_each_is_a_command_line() {
        let (mut program, mut paths) = (program(), Vec::new());
        program.build();
        walk(&program, "", &mut paths);
        assert!(paths.len() > 60, "{paths:?}");
        for path in &paths {
            // One set for the four records that simulate a bench.
            let known = if path.starts_with("calibrate record ") { "calibrate record" } else { path.as_str() };
            let examples = EXAMPLES.iter().find(|(name, _)| *name == known);
            assert!(examples.is_some_and(|(_, examples)| examples.len() >= 2), "{path} has not two examples");
            let sub = path.split(' ').fold(&program, |at, name| at.find_subcommand(name).unwrap());
            if known == path.as_str() {
                let help = sub.get_after_help().unwrap().to_string();
                assert!(
                    help.starts_with("Examples:\n  xpuck ") && help.matches("xample").count() == 1,
                    "{path}: {help}"
                );
            }
        }
        for (name, examples) in EXAMPLES {
            assert!(paths.iter().any(|path| path == name), "no such command: {name}");
            for example in examples {
                assert!(example.starts_with(&format!("xpuck {name}")), "{name}: {example}");
                let line =
                    example.split("  #").next().unwrap().split(" | ").next().unwrap().split(" > ").next().unwrap();
                let read = crate::program().try_get_matches_from(line.split_whitespace());
                assert!(read.is_ok(), "{line}: {}", read.unwrap_err());
            }
        }
    }
}
