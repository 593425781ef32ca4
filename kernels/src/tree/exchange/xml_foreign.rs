//! Nodes of BehaviorTree.CPP 4.10 without an equivalent in this crate, and the reason for each rejection.

/// Attributes that contain conditions and scripts of a node.
pub(super) const SCRIPTS: [&str; 9] =
    ["_failureIf", "_successIf", "_skipIf", "_while", "_onHalted", "_onFailure", "_onSuccess", "_post", "_autoSuccess"];

/// Returns the reason why a node of BehaviorTree.CPP is rejected; `None` if `name` is not one of the rejected nodes.
pub(super) fn rejection_reason(name: &str) -> Option<String> {
    let lacks = |what: &str| Some(format!("`{name}` needs BehaviorTree.CPP's {what}, which Xpuck does not have"));
    match name {
        "Script" | "ScriptCondition" | "Precondition" => lacks("blackboard scripts"),
        "SetBlackboard" | "UnsetBlackboard" | "WasEntryUpdated" | "SkipUnlessUpdated" | "WaitValueUpdate" => {
            lacks("blackboard entries")
        }
        "Switch2" | "Switch3" | "Switch4" | "Switch5" | "Switch6" => lacks("blackboard entries"),
        "LoopInt" | "LoopBool" | "LoopDouble" | "LoopString" => lacks("queues on the blackboard"),
        "Timeout" | "Delay" | "Sleep" => lacks("timers"),
        "AsyncSequence" | "AsyncFallback" => lacks("pauses between children"),
        "Parallel" | "ParallelAll" => {
            Some(format!("`{name}` remembers which children are done; write <par k=\"...\">, which ticks all of them"))
        }
        "SequenceWithMemory" | "SequenceStar" => {
            Some(format!("`{name}` does not restart after a failure; no node here does that"))
        }
        "IfThenElse" => Some(format!("`{name}` stays in a branch until the branch ends; no node here does that")),
        "WhileDoElse" => {
            Some(format!("`{name}` returns the failure of its second child; a selector here would tick the third"))
        }
        "KeepRunningUntilFailure" => Some(format!(
            "`{name}` is running while its child succeeds; the most similar node here is <repeati n=\"255\">"
        )),
        "SubTreePlus" => Some(format!("`{name}` belongs to BehaviorTree.CPP 3; use SubTree of version 4")),
        "RunOnce" => Some(format!("`{name}` never ticks its child again; no node here does that")),
        "TryCatch" => Some(format!("`{name}` ticks its last child when it is halted; no node here does that")),
        _ => None,
    }
}
