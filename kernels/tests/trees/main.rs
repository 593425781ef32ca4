//! Trees as people and other programs keep them: the node table's promises, exchange formats, and the library.

mod exchange;
mod hostile;
mod library;
mod random;
mod results;
