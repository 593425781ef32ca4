//! A virtual arena that stands where the real one would
