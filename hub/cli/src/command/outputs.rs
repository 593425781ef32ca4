//! JSON schemas of the commands' outputs, one for each command.

#[cfg(any(feature = "automata", feature = "bodies", feature = "gateway", feature = "kilobots"))]
use crate::guests;
use crate::{analysis, arena, boards, engines, evolution, files, records, services, swarm, trees};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};
use xpuck_wire::Status;
use xpuck_wire::message::Event;
use xpuck_wire::schema::json_schema;
use xpuck_wire::settings::PushRow;

/// Description of the JSON that a command prints.
pub struct Output {
    /// Path of the command without `xpuck`, such as `runs list`.
    pub command: &'static str,
    /// Kind of file for which the JSON is printed; `None` if the command takes one kind.
    pub kind: Option<&'static str>,
    /// Number of JSON values that the command prints.
    pub form: Form,
    /// Creates the schema of one value.
    schema: fn() -> Schema,
}

/// Number and arrangement of the JSON values that a command prints.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One value.
    One,
    /// Any number of values, one on each line.
    Lines,
}

const fn one<T: JsonSchema>(command: &'static str) -> Output {
    Output { command, kind: None, form: Form::One, schema: json_schema::<T> }
}

const fn lines<T: JsonSchema>(command: &'static str) -> Output {
    Output { command, kind: None, form: Form::Lines, schema: json_schema::<T> }
}

const fn for_kind<T: JsonSchema>(command: &'static str, kind: &'static str) -> Output {
    Output { command, kind: Some(kind), form: Form::One, schema: json_schema::<T> }
}

/// Returns the schema of the JSON that a command prints, or `None` if the command does not print JSON.
pub fn schema(command: &str) -> Option<Value> {
    let found: Vec<Output> = all().into_iter().filter(|output| output.command == command).collect();
    let lines = found.first()?.form == Form::Lines;
    let each = if lines { "one value on each line" } else { "one value" };
    let mut schema = match &found[..] {
        [only] => (only.schema)().to_value(),
        kinds => any_of(kinds),
    };
    schema.as_object_mut()?.insert("title".into(), json!(format!("output of xpuck {command}: {each}")));
    Some(schema)
}

/// Returns a schema for values that are valid by the schema of at least one kind. All definitions are moved to the top
/// level, because references are resolved there.
fn any_of(kinds: &[Output]) -> Value {
    let (mut choices, mut definitions) = (Vec::new(), Map::new());
    for output in kinds {
        let mut schema = (output.schema)().to_value();
        if let Some(object) = schema.as_object_mut() {
            object.remove("$schema");
            object.insert("title".into(), json!(output.kind));
            if let Some(Value::Object(inner)) = object.remove("definitions") {
                definitions.extend(inner);
            }
        }
        choices.push(schema);
    }
    json!({ "$schema": "http://json-schema.org/draft-07/schema#", "anyOf": choices, "definitions": definitions })
}

/// Returns the outputs of all commands, in the order of `xpuck --help`.
pub fn all() -> Vec<Output> {
    vec![
        one::<services::demo::report::Output>("demo"),
        one::<Vec<files::check::Checked>>("check"),
        one::<Vec<xpuck_hub_service::doctor::Finding>>("doctor"),
        for_kind::<trees::explain::json::Explanation<'_>>("tree explain", "trees"),
        #[cfg(feature = "bodies")]
        for_kind::<guests::body::BodyOutput>("tree explain", "bodies"),
        for_kind::<trees::algebra::Equality<'_>>("tree diff", "trees"),
        one::<trees::nodes::Reference>("tree nodes"),
        one::<analysis::world_cost::WorldCost>("world cost"),
        for_kind::<analysis::simulate::Output>("simulate", "trees"),
        #[cfg(feature = "automata")]
        for_kind::<guests::automata::automaton::StepOutput<'_>>("simulate", "automata"),
        #[cfg(feature = "bodies")]
        for_kind::<guests::body::simulate::WalkOutput>("simulate", "bodies"),
        #[cfg(feature = "kilobots")]
        for_kind::<guests::kilobot::simulate::KilobotsOutput>("simulate", "kilobots"),
        #[cfg(feature = "gateway")]
        for_kind::<guests::gateway::draw_path::PathFitness>("simulate", "individuals"),
        for_kind::<xpuck_lab::evolution_run::Outcome>("evolve", "trees"),
        #[cfg(feature = "automata")]
        for_kind::<xpuck_hub_automata::curriculum_run::Outcome>("evolve", "automata"),
        #[cfg(feature = "bodies")]
        for_kind::<xpuck_hub_bodies::Outcome>("evolve", "bodies"),
        #[cfg(feature = "kilobots")]
        for_kind::<xpuck_hub_kilobots::ChapterResult>("evolve", "kilobots"),
        one::<xpuck_lab::study::size::SizeStudy>("study size"),
        one::<xpuck_lab::study::mix::MixStudy>("study mix"),
        one::<xpuck_lab::study::hetero::HeteroStudy>("study hetero"),
        one::<xpuck_lab::study::perturb::PerturbStudy>("study perturb"),
        one::<xpuck_lab::study::ablate::AblationStudy>("study ablate"),
        one::<xpuck_lab::study::branches::BranchStudy>("study branches"),
        one::<analysis::study::path::PathOutput<'_>>("study path"),
        one::<xpuck_lab::study::tune::TuneStudy>("study tune"),
        one::<xpuck_lab::study::migrate::MigrateStudy>("study migrate"),
        one::<xpuck_lab::scale::ScaleStudy>("study scale"),
        one::<xpuck_lab::study::adapt::AdaptStudy>("study adapt"),
        one::<xpuck_lab::study::transfer::TransferStudy>("study transfer"),
        one::<evolution::sweep::tell::Output<'_>>("sweep run"),
        one::<Vec<evolution::sweep::tell::Listed<'_>>>("sweep list"),
        one::<evolution::sweep::tell::Output<'_>>("sweep collect"),
        one::<evolution::sweep::slurm::Output<'_>>("sweep slurm"),
        one::<Vec<xpuck_hub_service::catalogue::Row>>("runs list"),
        one::<records::runs::show::RunOutput<'_>>("runs show"),
        one::<records::runs::Recovered>("runs recover"),
        one::<xpuck_record::verify::Verified>("runs verify"),
        one::<Status>("runs replay"),
        one::<records::runs::table::Comparison<'_>>("runs table"),
        for_kind::<records::lineage::Champions<'_>>("runs lineage", "evolution, without ID"),
        for_kind::<records::lineage::Ancestry<'_>>("runs lineage", "evolution, with ID"),
        for_kind::<records::lineage_record::Fittest>("runs lineage", "robots, without ID"),
        for_kind::<records::lineage_record::Ancestry<'_>>("runs lineage", "robots, with ID"),
        lines::<evolution::remeasure::Measurement<'_>>("runs remeasure"),
        one::<records::report::ReportOutput<'_>>("runs report"),
        #[cfg(feature = "bodies")]
        one::<guests::body::curves::Distances<'_>>("runs curves"),
        one::<swarm::acks::Obedience>("swarm start"),
        one::<swarm::acks::Obedience>("swarm pause"),
        one::<swarm::acks::Obedience>("swarm resume"),
        one::<swarm::acks::Obedience>("swarm next"),
        one::<swarm::acks::Obedience>("swarm stop"),
        lines::<Status>("swarm status"),
        lines::<Event>("swarm log"),
        one::<xpuck_wire::park::ParkReport>("swarm park"),
        one::<swarm::trials::table::Report<'_>>("swarm trials"),
        one::<swarm::console::Link>("swarm console"),
        one::<Status>("robot list"),
        one::<Vec<swarm::orders::Row>>("robot identify"),
        one::<Vec<swarm::orders::Row>>("robot hold"),
        one::<Vec<swarm::orders::Row>>("robot release"),
        one::<Vec<swarm::orders::Row>>("robot reboot"),
        lines::<swarm::drive::pipe::DriveEvent<'_>>("robot drive"),
        one::<swarm::snapshot::Snapshot<'_>>("robot snapshot"),
        one::<swarm::enrol::Done>("robot enrol"),
        one::<swarm::enrol::Done>("robot replace"),
        one::<Vec<PushRow>>("robot push"),
        one::<xpuck_wire::rollout::UpdateReport>("robot update"),
        one::<xpuck_wire::rollout::UpdateReport>("robot update status"),
        one::<xpuck_wire::rollout::UpdateReport>("robot update abort"),
        one::<arena::Timing>("serve arena"),
        lines::<services::geneserver::Report<'_>>("serve geneserver"),
        one::<xpuck_lab::evolution_run::Outcome>("serve island"),
        one::<services::playground::Report<'_>>("serve playground"),
        #[cfg(feature = "gateway")]
        lines::<guests::gateway::serve::monitors::ports::Report>("serve monitors"),
        #[cfg(all(feature = "bodies", feature = "gateway"))]
        lines::<guests::gateway::serve::monitors::ports::Report>("serve body"),
        #[cfg(feature = "gateway")]
        lines::<guests::gateway::serve::world_sim::Report>("serve world-sim"),
        #[cfg(feature = "gateway")]
        lines::<guests::gateway::serve::robot_sim::Report>("serve robot-sim"),
        #[cfg(feature = "gateway")]
        lines::<guests::gateway::serve::population_manager::Report>("serve population-manager"),
        one::<Vec<files::keys::HolderOutput<'_>>>("keys list"),
        one::<xpuck_calibrate::Report>("calibrate fit collisions"),
        one::<xpuck_calibrate::Report>("calibrate fit ir"),
        one::<xpuck_calibrate::Report>("calibrate fit camera"),
        one::<xpuck_calibrate::Report>("calibrate fit latency"),
        one::<xpuck_calibrate::Report>("calibrate fit friction"),
        one::<xpuck_calibrate::Report>("calibrate fit steering"),
        one::<xpuck_calibrate::Report>("calibrate fit run"),
        one::<engines::bench::Output>("dev bench"),
        one::<Vec<engines::bench_genes::Row>>("dev bench genes"),
        lines::<engines::bench_geneserver::Measurement>("dev bench geneserver"),
        lines::<engines::bench_hub::Measurement>("dev bench hub"),
        one::<engines::available::Output>("dev engines"),
        one::<xpuck_simtest::Campaign>("dev fuzz-swarm"),
        one::<boards::markers::Patterns>("dev markers"),
        #[cfg(feature = "gateway")]
        lines::<guests::gateway::watch::Scene>("dev watch"),
    ]
}
