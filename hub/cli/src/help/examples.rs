//! Examples for the help and the manual page of every command, at least two each. A test parses each example as a
//! command line.

use clap::Command;

/// Names of commands, as typed after `xpuck`, with their examples. The text after ` # ` is an explanation for
/// readers.
const EXAMPLES: [(&str, &[&str]); 130] = [
    (
        "demo",
        &[
            "xpuck demo --minutes 4",
            "xpuck demo --tree docs/trees/806768.bt --count 5 --speed 4",
            "xpuck demo --world docs/worlds/aggregation.toml",
            "xpuck demo --foxglove --stream 7605  # for Foxglove and PlotJuggler",
        ],
    ),
    (
        "init",
        &[
            "xpuck init myswarm",
            "xpuck init lab --kind e-puck2 --count 4 --address 192.168.1.2",
            "xpuck init lab --board pi5 --count 9 --address 192.168.1.2",
        ],
    ),
    (
        "check",
        &[
            "xpuck check docs/trees/806768.bt docs/worlds/foraging.toml",
            "xpuck check myswarm  # a whole folder",
            "xpuck check docs/worlds/foraging.toml --json",
        ],
    ),
    ("doctor", &["xpuck doctor", "xpuck doctor --config myswarm/hub.toml --json"]),
    ("tree", &["xpuck tree explain docs/trees/806768.bt", "xpuck tree draw docs/trees/806768.bt -o 806768.svg"]),
    (
        "tree convert",
        &[
            "xpuck tree convert docs/trees/806768.bt --to xml -o 806768.xml  # for Groot2",
            "xpuck tree convert docs/trees/806768.bt --to fsm-dot",
            "xpuck tree convert docs/trees/machines/rest.toml -o rest.bt",
            "xpuck tree convert docs/curricula/wanderer.txt -o wanderer.bt",
            "xpuck tree convert docs/bodies/walker.prif --to urdf -o walker.urdf",
            "xpuck tree convert racing.bt --to hex --kilolib kilolib -o forage.hex",
        ],
    ),
    (
        "tree diff",
        &[
            "xpuck tree diff docs/trees/806768.bt reduced.bt",
            "xpuck tree diff docs/curricula/hand-made.txt run/controller.txt",
        ],
    ),
    (
        "tree draw",
        &[
            "xpuck tree draw docs/trees/806768.bt -o 806768.svg",
            "xpuck tree draw docs/curricula/hand-made.txt --module lnflwer -o follower.svg",
            "xpuck tree draw docs/bodies/walker.prif -o walker.svg",
        ],
    ),
    (
        "tree explain",
        &[
            "xpuck tree explain docs/trees/806768.bt",
            "xpuck tree explain docs/trees/806768.bt --simulate --to markdown -o account.md",
            "xpuck tree explain docs/curricula/hand-made.txt",
            "xpuck tree explain docs/bodies/walker.prif",
        ],
    ),
    ("tree fmt", &["xpuck tree fmt docs/trees/806768.bt", "xpuck tree fmt docs/curricula/hand-made.txt"]),
    ("tree nodes", &["xpuck tree nodes", "xpuck tree nodes | less"]),
    (
        "tree reduce",
        &[
            "xpuck tree reduce docs/trees/806768.bt --explain",
            "xpuck tree reduce docs/trees/806768.bt docs/trees/explore.bt --summary",
            "xpuck tree reduce docs/curricula/hand-made.txt",
        ],
    ),
    ("world", &["xpuck world new foraging -o world.toml", "xpuck world import arena.argos -o world.toml"]),
    (
        "world export",
        &[
            "xpuck world export docs/worlds/transport.toml --tree docs/trees/806768.bt --to argos --runs 20 --output argos",
            "xpuck world export docs/worlds/clutter.toml --tree docs/trees/explore.bt --to webots --output webots",
        ],
    ),
    (
        "world import",
        &[
            "xpuck world import arena.argos -o world.toml",
            "xpuck world import all_missions.txt -o worlds  # lines of MG1",
        ],
    ),
    (
        "world cost",
        &[
            "xpuck world cost docs/worlds/missions/agg.toml",
            "xpuck world cost docs/worlds/missions/covering-south.toml --json",
        ],
    ),
    (
        "world explain",
        &[
            "xpuck world explain docs/worlds/missions/agg.toml",
            "xpuck world explain docs/worlds/missions/aac.toml docs/worlds/missions/sca.toml -o worlds.svg",
        ],
    ),
    (
        "world new",
        &["xpuck world new foraging -o world.toml", "xpuck world new -o world.toml  # asks what the robots are to do"],
    ),
    (
        "simulate",
        &[
            "xpuck simulate docs/trees/806768.bt --scenario b --runs 200",
            "xpuck simulate docs/trees/806768.bt --scenario b --run 3 --svg trajectories.svg --html replay.html",
            "xpuck simulate docs/trees/806768.bt --scenario b --run 3 --pdf trajectories.pdf --mp4 run.mp4",
            "xpuck simulate docs/trees/attract.bt --world docs/worlds/aggregation.toml",
            "xpuck simulate docs/trees/aac.bt --world docs/worlds/missions/aac.toml --csv runs.csv",
            "xpuck simulate --mix 7:docs/trees/806768.bt,2:docs/trees/explore.bt",
            "xpuck simulate run/controller.txt --curriculum docs/curricula/cargo-creative.toml --svg way.svg",
            "xpuck simulate docs/bodies/walker.prif --brain docs/bodies/walker.nndf",
            "xpuck simulate foragers/trees/racing.bt --svg ways.svg  # a Kilobot's tree",
        ],
    ),
    (
        "evolve",
        &[
            "xpuck evolve --generations 20",
            "xpuck evolve --seed 7 --generations 84 --output runs/first",
            "xpuck evolve runs/first  # continues after a stop or a kill",
            "xpuck evolve docs/curricula/cargo-creative.toml --output runs/cargo",
            "xpuck evolve docs/bodies/large.toml --islands 4 --output runs/walkers",
            "xpuck evolve docs/experiments/kilobot-foraging.toml --output runs/kilobots",
        ],
    ),
    ("runs", &["xpuck runs list", "xpuck runs show last"]),
    (
        "runs curves",
        &["xpuck runs curves runs/seed-* -o curves.svg", "xpuck runs curves walkers children -o curves.svg --json"],
    ),
    (
        "runs export",
        &[
            "xpuck runs export last --parquet tables",
            "xpuck runs export last --csv tables",
            "xpuck runs export last --foxglove last.mcap  # for 3D panels",
            "xpuck runs export last --mp4 last.mp4 --from 60 --to 120 --film-speed 4",
        ],
    ),
    (
        "runs lineage",
        &[
            "xpuck runs lineage runs/first",
            "xpuck runs lineage runs/first 3.1204 --depth 6",
            "xpuck runs lineage runs/first 3.1204 --dot | dot -Tsvg > lineage.svg",
        ],
    ),
    ("runs list", &["xpuck runs list", "xpuck runs list --folder myswarm/runs --json"]),
    ("runs recover", &["xpuck runs recover last", "xpuck runs recover run.mcap.open"]),
    (
        "runs remeasure",
        &[
            "xpuck runs remeasure runs/first",
            "xpuck runs remeasure runs/first --every 1 --csv first.csv",
            "xpuck runs remeasure runs/published runs/ours --svg ratchet.svg",
        ],
    ),
    ("runs replay", &["xpuck runs replay last --console 127.0.0.1:7700", "xpuck runs replay last"]),
    (
        "runs report",
        &[
            "xpuck runs report last --output report",
            "xpuck runs report runs/demo-1 runs/demo-2 --output report --single runs/one-island",
        ],
    ),
    ("runs show", &["xpuck runs show last", "xpuck runs show transport-4217 --json"]),
    (
        "runs table",
        &[
            "xpuck runs table",
            "xpuck runs table --folder runs/sixteen-minutes --printed docs/experiments/table-8.3.toml",
        ],
    ),
    ("runs verify", &["xpuck runs verify last", "xpuck runs verify transport-4217 --json"]),
    ("study", &["xpuck study size docs/trees/806768.bt", "xpuck study perturb docs/trees/806768.bt --svg starts.svg"]),
    (
        "study ablate",
        &[
            "xpuck study ablate docs/trees/806768.bt --svg ablation.svg",
            "xpuck study ablate docs/trees/806768.bt --count 3 --runs 1000 --csv ablation.csv",
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
        "study branches",
        &[
            "xpuck study branches docs/trees/806768.bt --svg branches.svg",
            "xpuck study branches docs/trees/806768.bt --count 2 --runs 20 --json",
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
        "study migrate",
        &[
            "xpuck study migrate --svg migration.svg",
            "xpuck study migrate --rates 1,8,0 --seeds 5 --set islands=4 --set settings.population=64",
        ],
    ),
    (
        "study mix",
        &[
            "xpuck study mix docs/trees/806768.bt docs/trees/explore.bt --svg mix.svg",
            "xpuck study mix docs/trees/806768.bt docs/trees/attract.bt --count 5 --runs 200",
        ],
    ),
    (
        "study path",
        &[
            "xpuck study path docs/trees/806768.bt --svg path.svg  # one robot at (0.3, 0), facing away from the \
             frisbee",
            "xpuck study path docs/trees/806768.bt --frisbee 0.65,0 --from 0.8,0.05,180 --from 0.8,-0.05,180 --html path.html",
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
        "study scale",
        &[
            "xpuck study scale --svg scale.svg  # a million volunteers, a minute or two",
            "xpuck study scale --islands 10000 --network cluster --topologies star,tree:100 --generations 60 --json",
        ],
    ),
    (
        "study size",
        &[
            "xpuck study size docs/trees/806768.bt --svg size.svg",
            "xpuck study size docs/trees/806768.bt --sizes 1,2,4,9 --runs 200 --json",
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
        "study tune",
        &[
            "xpuck study tune docs/trees/806768.bt --output tuned.bt --svg tuned.svg",
            "xpuck study tune docs/trees/806768.bt --count 4 --generations 10 --sizes 2,9 --json",
        ],
    ),
    ("sweep", &["xpuck sweep list docs/sweeps/tiny.toml", "xpuck sweep run docs/sweeps/tiny.toml"]),
    (
        "sweep collect",
        &[
            "xpuck sweep collect docs/sweeps/tiny.toml",
            "xpuck sweep collect docs/sweeps/tiny.toml --output /shared/tiny --json",
        ],
    ),
    ("sweep list", &["xpuck sweep list docs/sweeps/tiny.toml", "xpuck sweep list docs/sweeps/tiny.toml --json"]),
    ("sweep new", &["xpuck sweep new -o mine.toml", "xpuck sweep new"]),
    (
        "sweep run",
        &[
            "xpuck sweep run docs/sweeps/tiny.toml --output runs/tiny",
            "xpuck sweep run docs/sweeps/tiny.toml --output runs/tiny --only 3  # in parallel with other processes",
        ],
    ),
    (
        "sweep slurm",
        &[
            "xpuck sweep slurm docs/sweeps/tiny.toml --output /shared/tiny --time 1:00:00 --mem 1G",
            "xpuck sweep slurm docs/sweeps/tiny.toml --no-send",
        ],
    ),
    (
        "swarm",
        &[
            "xpuck swarm start e.toml",
            "xpuck swarm top",
            "xpuck swarm stop  # or `xpuck stop`: start, stop, pause, resume and status need no `swarm`",
        ],
    ),
    ("swarm console", &["xpuck swarm console", "xpuck swarm console --json"]),
    ("swarm log", &["xpuck swarm log --follow", "xpuck swarm log --robot xp03", "xpuck swarm log --after 120 --json"]),
    (
        "swarm next",
        &["xpuck swarm next", "xpuck swarm next --hub tcp://127.0.0.1:7612 --key keys/operators/operator.key"],
    ),
    (
        "swarm note",
        &[
            "xpuck swarm note the lamp over the left end is off",
            "xpuck swarm note --key keys/operators/ada.key moved xp03",
        ],
    ),
    (
        "swarm park",
        &[
            "xpuck swarm park",
            "xpuck swarm park --scenario b --seed 3 --own",
            "xpuck swarm park --robots xp01,xp02 --pose -0.8,0.2,0 --pose -0.8,-0.2,90",
        ],
    ),
    (
        "swarm pause",
        &[
            "xpuck swarm pause",
            "xpuck swarm pause xp03",
            "xpuck swarm pause --hub tcp://127.0.0.1:7612 --key keys/operators/operator.key",
        ],
    ),
    (
        "swarm resume",
        &[
            "xpuck swarm resume",
            "xpuck swarm resume xp03",
            "xpuck swarm resume --hub tcp://127.0.0.1:7612 --key keys/operators/operator.key",
        ],
    ),
    (
        "swarm start",
        &[
            "xpuck swarm start transport.toml",
            "xpuck swarm start docs/experiments/aggregation.toml --seed 7 --wait 5",
            "xpuck swarm start transport.toml --no-wait",
        ],
    ),
    (
        "swarm status",
        &[
            "xpuck swarm status",
            "xpuck swarm status --watch",
            "xpuck swarm status --watch --json | jq .run_seconds  # a line every second",
        ],
    ),
    (
        "swarm stop",
        &[
            "xpuck swarm stop",
            "xpuck swarm stop xp03",
            "xpuck swarm stop --json",
            "xpuck swarm stop --hub tcp://127.0.0.1:7612 --key keys/operators/operator.key",
        ],
    ),
    ("swarm top", &["xpuck swarm top", "xpuck swarm top --key keys/observers/guest.key  # view only"]),
    (
        "swarm trials",
        &[
            "xpuck swarm trials docs/trees/806768.bt --runs 20 --seconds 60",
            "xpuck swarm trials docs/trees/806768.bt --runs 30 --output trials  # continues with ten more",
        ],
    ),
    ("robot", &["xpuck robot list", "xpuck robot hold xp03"]),
    (
        "robot drive",
        &["xpuck robot drive xp03", "xpuck robot drive xp03 --speed 0.05", "xpuck robot drive --pipe --rate 20"],
    ),
    (
        "robot enrol",
        &[
            "xpuck robot enrol xp10",
            "xpuck robot enrol xp10 --public xp10.pub --like xp01  # its key was made on its board: xpuck keys make xp10",
        ],
    ),
    ("robot hold", &["xpuck robot hold xp03", "xpuck robot hold xp03 xp04 --json"]),
    ("robot identify", &["xpuck robot identify xp03", "xpuck robot identify all"]),
    ("robot list", &["xpuck robot list", "xpuck robot list --json"]),
    ("robot push", &["xpuck robot push drive.toml --robots xp01,xp02", "xpuck robot push evolution.toml --robots all"]),
    ("robot reboot", &["xpuck robot reboot xp03", "xpuck robot reboot xp03 xp04"]),
    ("robot release", &["xpuck robot release xp03", "xpuck robot release all  # all held robots"]),
    (
        "robot replace",
        &[
            "xpuck robot replace xp03",
            "xpuck robot replace xp03 --public xp03.pub  # with a key that was made on the new board",
        ],
    ),
    (
        "robot snapshot",
        &["xpuck robot snapshot xp03 --output xp03.png", "xpuck robot snapshot xp03 --output xp03.png --timeout 20"],
    ),
    (
        "robot update",
        &[
            "xpuck robot update --deb target/deb/xpuckd_0.3.0_arm64.deb --boards pi5",
            "xpuck robot update --deb xpuckd_0.3.0_arm64.deb --robots xp01,xp02 --canary 2",
        ],
    ),
    ("robot update abort", &["xpuck robot update abort", "xpuck robot update abort --json"]),
    ("robot update status", &["xpuck robot update status", "xpuck robot update status --json"]),
    ("serve", &["xpuck serve hub", "xpuck serve arena --config arena.toml"]),
    ("serve arena", &["xpuck serve arena --config arena.toml", "xpuck serve arena --config myswarm/arena.toml"]),
    (
        "serve body",
        &[
            "xpuck serve body docs/bodies/walker.prif --brain docs/bodies/walker.nndf  # then start RoboViz or \
             rcssmonitor3d",
            "xpuck serve body docs/bodies/walker.prif --brain docs/bodies/walker.nndf --speed 5 --host 0.0.0.0  # for other machines",
        ],
    ),
    (
        "serve geneserver",
        &[
            "xpuck serve geneserver --islands 3",
            "xpuck serve geneserver --listen tcp://*:7610 --islands 9 --policy ring --dir run/geneserver",
            "xpuck serve geneserver --listen tcp://*:7611 --above tcp://upper:7610 --numbers 100-199  # below another \
             geneserver",
        ],
    ),
    ("serve hub", &["xpuck serve hub --config hub.toml", "xpuck serve hub --config myswarm/hub.toml"]),
    (
        "serve island",
        &[
            "xpuck serve island --island 1 --resume run/island-1",
            "xpuck serve island --hub tcp://127.0.0.1:7610 --island 3 --resume run/island-3 run.toml",
        ],
    ),
    (
        "serve monitors",
        &[
            "xpuck serve monitors  # then start RoboViz or rcssmonitor3d",
            "xpuck serve monitors --replay last --speed 4 --loop --no-rsmp",
        ],
    ),
    (
        "serve playground",
        &[
            "xpuck serve playground  # then open http://127.0.0.1:7690/",
            "xpuck serve playground --listen 0.0.0.0:7690  # for the machines of a class",
        ],
    ),
    (
        "serve population-manager",
        &[
            "xpuck serve population-manager --generations 50 --output run/avoid",
            "xpuck serve population-manager --robot-sim localhost:7720 --robot-sim localhost:7721 --population 60",
        ],
    ),
    (
        "serve robot-sim",
        &[
            "xpuck serve robot-sim --world",
            "xpuck serve robot-sim --world localhost:7771 --task docs/gateway/pursuit.toml --port 7721",
        ],
    ),
    (
        "serve world-sim",
        &[
            "xpuck serve world-sim",
            "xpuck serve world-sim --world docs/gateway/room.toml --ports 2  # two populations in one world",
        ],
    ),
    (
        "card",
        &[
            "xpuck card build --board pi5 --output pi5.xpb --blobs blobs",
            "xpuck card flash --robot xp07 --image pi5.xpb --device /dev/sdb",
        ],
    ),
    (
        "card build",
        &[
            "xpuck card build --board pi5 --output pi5.xpb --blobs blobs",
            "xpuck card build --board qemu-arm64 --output vm.xpb --package target/deb/xpuckd_0.2.0_arm64.deb",
            "xpuck card build --boards",
        ],
    ),
    (
        "card flash",
        &[
            "xpuck card flash --robot xp07 --image pi5.xpb --device /dev/sdb",
            "xpuck card flash --all --image pi5.xpb --device /dev/mmcblk0  # one card after the other",
            "xpuck card flash --robot xp01 --image vm.xpb --device card.img  # a file of a card's size: truncate -s 4G card.img",
        ],
    ),
    ("keys", &["xpuck keys new --swarm swarm.toml", "xpuck keys list"]),
    (
        "keys enrol",
        &[
            "xpuck keys enrol ada.pub --role operator",
            "xpuck keys enrol guest.pub --role observer --dir /etc/xpuck/keys",
        ],
    ),
    ("keys list", &["xpuck keys list", "xpuck keys list --dir myswarm/keys"]),
    ("keys make", &["xpuck keys make ada", "xpuck keys make geneserver --dir run"]),
    ("keys new", &["xpuck keys new --swarm swarm.toml", "xpuck keys new --dir /etc/xpuck/keys"]),
    ("keys revoke", &["xpuck keys revoke ada", "xpuck keys revoke xp03 --role robot"]),
    ("calibrate", &["xpuck calibrate record ir -o ir.csv", "xpuck calibrate fit ir ir.csv"]),
    ("calibrate fit", &["xpuck calibrate fit ir ir.csv", "xpuck calibrate fit run last"]),
    (
        "calibrate fit camera",
        &["xpuck calibrate fit camera turns.csv", "xpuck calibrate fit camera turns.csv --into calibration.toml"],
    ),
    (
        "calibrate fit collisions",
        &[
            "xpuck calibrate fit collisions poses.csv",
            "xpuck calibrate fit collisions poses.csv --into calibration.toml -o collisions.svg",
        ],
    ),
    (
        "calibrate fit friction",
        &[
            "xpuck calibrate fit friction gauge.csv",
            "xpuck calibrate fit friction gauge.csv --robot-mass 0.45 --into calibration.toml",
        ],
    ),
    (
        "calibrate fit ir",
        &["xpuck calibrate fit ir card.csv", "xpuck calibrate fit ir card.csv --robot xp01 --into calibration.toml"],
    ),
    (
        "calibrate fit latency",
        &["xpuck calibrate fit latency drive.csv", "xpuck calibrate fit latency drive.csv -o latency.svg"],
    ),
    (
        "calibrate fit run",
        &[
            "xpuck calibrate fit run last --into calibration.toml",
            "xpuck calibrate fit run last --had calibration.toml -o run.svg",
        ],
    ),
    (
        "calibrate fit steering",
        &["xpuck calibrate fit steering", "xpuck calibrate fit steering --latency 0.2 -o steering.svg"],
    ),
    (
        "calibrate record",
        &["xpuck calibrate record ir -o ir.csv", "xpuck calibrate record latency --seed 3 --delay 0.2 -o latency.csv"],
    ),
    (
        "calibrate record collisions",
        &[
            "xpuck calibrate record collisions -o collisions.csv",
            "xpuck calibrate record collisions --friction 0.3 --seed 2",
        ],
    ),
    ("calibrate record ir", &["xpuck calibrate record ir -o ir.csv", "xpuck calibrate record ir --noise 8 --seed 2"]),
    (
        "calibrate record camera",
        &["xpuck calibrate record camera -o camera.csv", "xpuck calibrate record camera --delay 0.2 --misses 0.1"],
    ),
    (
        "calibrate record latency",
        &["xpuck calibrate record latency -o latency.csv", "xpuck calibrate record latency --delay 0.2 --seed 3"],
    ),
    ("dev", &["xpuck dev engines", "xpuck dev completions bash"]),
    ("dev bench", &["xpuck dev bench --engine simd", "xpuck dev bench --engine simd --scaling"]),
    (
        "dev bench genes",
        &["xpuck dev bench genes --seeds 3 --generations 10", "xpuck dev bench genes --population 24 --json"],
    ),
    (
        "dev bench geneserver",
        &[
            "xpuck dev bench geneserver --islands 100 --period 1 --seconds 5",
            "xpuck dev bench geneserver --islands 10000 --period 10 --seconds 30",
        ],
    ),
    ("dev bench hub", &["xpuck dev bench hub --count 10", "xpuck dev bench hub --count 10,50,100,200"]),
    ("dev completions", &["xpuck dev completions bash", "xpuck dev completions zsh > ~/.zfunc/_xpuck"]),
    ("dev engines", &["xpuck dev engines", "xpuck dev engines --measure"]),
    (
        "dev fuzz-swarm",
        &[
            "xpuck dev fuzz-swarm --seeds 100  # a hundred seeds",
            "xpuck dev fuzz-swarm --seed 7 --trace  # the events of one seed",
            "xpuck dev fuzz-swarm --seeds 20 --mutant old-run  # whether this bug is found",
            "xpuck dev fuzz-swarm --seconds 86400  # a day, to check that memory use is constant",
        ],
    ),
    ("dev man", &["xpuck dev man man", "xpuck dev man /usr/local/share/man/man1"]),
    (
        "dev markers",
        &[
            "xpuck dev markers 16  # shows 16 patterns, front up",
            "xpuck dev markers 9 --svg sheet.svg  # a sheet to print at 100 % (20 patterns fit A4)",
            "xpuck dev markers 9 --json  # positions in mm from the robot's centre: x forward, y to the left",
        ],
    ),
    ("dev rasp", &["xpuck dev rasp", "xpuck dev rasp docs/trees/machines/multiply.rasp"]),
    ("dev schema", &["xpuck dev schema world", "xpuck dev schema --output schemas"]),
    (
        "dev watch",
        &[
            "xpuck dev watch localhost:3200",
            "xpuck dev watch localhost:60001 --svg scene.svg",
            "xpuck dev watch robocup.local:3200 --json --seconds 10",
        ],
    ),
    (
        "start",
        &[
            "xpuck start transport.toml",
            "xpuck start docs/experiments/aggregation.toml --seed 7 --wait 5",
            "xpuck start transport.toml --no-wait",
        ],
    ),
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
    (
        "status",
        &[
            "xpuck status",
            "xpuck status --watch",
            "xpuck status --watch --json | jq .run_seconds  # a line every second",
        ],
    ),
];

/// Adds the examples to the help of each command.
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
    fn every_command_has_two_valid_examples() {
        let (mut program, mut paths) = (program(), Vec::new());
        program.build();
        walk(&program, "", &mut paths);
        assert!(paths.len() > 60, "{paths:?}");
        for path in &paths {
            let examples = EXAMPLES.iter().find(|(name, _)| name == path);
            assert!(examples.is_some_and(|(_, examples)| examples.len() >= 2), "{path} has not two examples");
            let sub = path.split(' ').fold(&program, |at, name| at.find_subcommand(name).unwrap());
            let help = sub.get_after_help().unwrap().to_string();
            assert!(help.starts_with("Examples:\n  xpuck ") && help.matches("xample").count() == 1, "{path}: {help}");
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
