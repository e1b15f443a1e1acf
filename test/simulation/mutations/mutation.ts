/** One change of a product file: the first place of `from`, in which whitespace does not count, becomes `to`. */
interface Edit {
  file: string;
  from: string;
  to: string;
}

/** A way to break the product on purpose, to prove that the auditor sees it. Lives in one process, changes no file. */
export interface Mutation {
  name: string;
  promise: string;
  what: string;
  edits: readonly Edit[];
  /** Done to the database before the first story. */
  sql?: string;
}

/** The guard stands and lets everything pass: one that is taken off is seen at once, because it is asked for. */
export const NO_GUARD =
  "create or replace function deliveries_guard() returns trigger language plpgsql as 'begin return new; end'";
