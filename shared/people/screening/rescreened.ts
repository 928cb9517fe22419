/** The numbers of rescreened parties and of new matches. */
export interface Rescreened {
  orders: number;
  /** Registrant changes that owners requested. */
  changes: number;
  /** Registrants of owned domains. */
  registrants: number;
  payees: number;
  hits: number;
}

/** The progress of rescreening all parties: the current kind, the last screened id, and the results so far. */
export interface RescreenProgress {
  kind: number;
  after: string;
  found: Rescreened;
}
