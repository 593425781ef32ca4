//! Populations, variation, selection and the island's side of migration
