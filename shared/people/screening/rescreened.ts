/** How many parties were compared again, and how many matches are new. */
export interface Rescreened {
  orders: number;
  /** Changes of registrants that owners asked for. */
  changes: number;
  /** Of domains that somebody owns. */
  registrants: number;
  payees: number;
  hits: number;
}

/** How far a run over all parties has come: which kind of them, the last id that was compared, and what it found. */
export interface RescreenProgress {
  kind: number;
  after: string;
  found: Rescreened;
}
