//! End-to-end tests live in `e2e/`: they deploy `template.yaml` to a local stack of their own and go through the public
//! doors; `e2e/stores` alone asks stores, on tables of its own.
