//! Commands as users type them, and the pages that document them.

mod arena_page;
mod cli;
mod docs;
mod flash;
mod hub_page;
mod mistakes;
mod new_worlds;
mod output;
mod records;
mod run_table;
mod schemas;
mod set_up;
mod worlds;
