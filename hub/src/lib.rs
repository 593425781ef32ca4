//! The hub: switchboard, geneserver, motion capture, virtual senses, recorder, console
