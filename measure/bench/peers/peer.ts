/** The work measured: webhooks with each attempt recorded in Postgres, or no-op jobs. */
export type Work = 'deliveries' | 'no-ops';

/** The payload of a peer's job. A delivery uses all of it, a no-op job only the number. */
export interface PeerJob {
  n: number;
  url?: string;
  body?: string;
}

/** The number of jobs a peer's worker process runs at a time, the same as ours. */
export const CONCURRENCY = 64;

/** The addresses of the services. */
export interface Place {
  postgresUrl: string;
  redisUrl: string;
  redisPrefix: string;
}

/** The side that adds work. */
export interface Producer {
  add(jobs: readonly PeerJob[]): Promise<void>;
  /** Returns whether all added work is done. */
  isIdle(): Promise<boolean>;
  /** Deletes all data. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** A job library, set up according to its documentation. */
export interface Peer {
  name: string;
  produce(place: Place): Promise<Producer>;
  /** Runs jobs in this process until the returned function has completed. */
  consume(place: Place, run: (job: PeerJob) => Promise<void>): Promise<() => Promise<void>>;
}
