/** What is measured: webhooks of which each attempt is recorded in Postgres, or jobs that do nothing. */
export type Work = 'deliveries' | 'no-ops';

/** What a peer's job carries. A delivery has all of it, a job that does nothing its number. */
export interface PeerJob {
  n: number;
  url?: string;
  body?: string;
}

/** How many jobs of a peer a worker process runs at a time, as ours does. */
export const CONCURRENCY = 64;

/** Where the services are. */
export interface Place {
  postgresUrl: string;
  redisUrl: string;
  redisPrefix: string;
}

/** The side that asks for work. */
export interface Producer {
  add(jobs: readonly PeerJob[]): Promise<void>;
  /** Whether all that was added is done. */
  isIdle(): Promise<boolean>;
  /** Forgets everything. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** A library for jobs, set up as its documentation says. */
export interface Peer {
  name: string;
  produce(place: Place): Promise<Producer>;
  /** Runs jobs in this process until the function that it returns has ended. */
  consume(place: Place, run: (job: PeerJob) => Promise<void>): Promise<() => Promise<void>>;
}
