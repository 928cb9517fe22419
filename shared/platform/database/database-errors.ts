/** A temporary failure of Postgres or of the connection to it. */
export interface TransientDatabaseError {
  /** Seconds until a retry is worthwhile. */
  retryAfterSeconds: number;
  /**
   * Whether a job may wait until the failure ends without using up an attempt. False for failures that the job's own
   * statement may have caused: such a job would wait forever, unnoticed.
   */
  jobsWaitItOut: boolean;
}

const SOON: TransientDatabaseError = { retryAfterSeconds: 1, jobsWaitItOut: true };
const SOON_COUNTED: TransientDatabaseError = { retryAfterSeconds: 1, jobsWaitItOut: false };
/** An operator must free disk space first. */
const LATER: TransientDatabaseError = { retryAfterSeconds: 10, jobsWaitItOut: true };

/**
 * The SQLSTATEs (https://www.postgresql.org/docs/current/errcodes-appendix.html) of temporary
 * failures, as full codes or as classes. A full code takes precedence over its class.
 */
const BY_SQLSTATE: Readonly<Record<string, TransientDatabaseError>> = {
  '08': SOON, // the connection broke
  '25006': SOON, // read-only: a standby, or a primary that was demoted or filled up
  '25P03': SOON_COUNTED, // the transaction was idle for too long
  '25P04': SOON_COUNTED, // the transaction took too long
  '40001': SOON, // a serialization failure, after its repeats
  '40003': SOON, // whether the statement was completed is not known
  '40P01': SOON, // a deadlock, after its repeats
  '53': SOON, // out of memory, too many connections
  '53100': LATER, // the disk is full
  '53400': SOON_COUNTED, // a limit of the configuration, such as temp_file_limit
  '55P03': SOON, // lock_timeout
  '57': SOON, // shutting down, starting, crashed
  '57014': SOON_COUNTED, // statement_timeout, or canceled by somebody
  '58030': LATER, // the disk fails
};

/** Node's error codes for failed or broken connections. They do not say to which server. */
const NO_CONNECTION = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
]);
/** pg's messages, which have no code, for a connection that broke during a statement. */
const CONNECTION_LOST =
  /connection terminated|connection ended|connection error and is not queryable/i;

/** The SQLSTATEs of statements rejected, or not prepared, because their transaction had already failed. */
const OF_ABORTED_TRANSACTION: unknown[] = ['25P02', '26000'];

/** Returns whether a statement failed only because an earlier one in its transaction did. */
export function isOfAbortedTransaction(error: unknown): boolean {
  return OF_ABORTED_TRANSACTION.includes((error as { code?: unknown } | undefined)?.code);
}

/** The SQLSTATE of a write to a read-only server. */
export const READ_ONLY_SQLSTATE = '25006';

/** Returns the temporary failure that caused `thrown`; undefined for anything else, such as a bug. */
export function transientDatabaseError(thrown: unknown): TransientDatabaseError | undefined {
  const { code, name, message } = (thrown ?? {}) as {
    code?: unknown;
    name?: string;
    message?: string;
  };
  if (typeof code === 'string') {
    if (NO_CONNECTION.has(code)) return SOON_COUNTED;
    const known =
      /^[0-9A-Z]{5}$/.test(code) && (BY_SQLSTATE[code] ?? BY_SQLSTATE[code.slice(0, 2)]);
    if (known) return known;
  }
  // Knex's own error: no connection of the pool became free in time.
  if (name === 'KnexTimeoutError' || CONNECTION_LOST.test(message ?? '')) return SOON;
  return undefined;
}
