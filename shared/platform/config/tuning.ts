import { HOUR, MINUTE, SECOND } from '../clock.ts';

/**
 * Waits, sizes and addresses that operators have no reason to change but tests do. `TUNING` overrides them, see
 * `process-variables.ts`. Values that not even tests change are constants next to their code.
 */
export const TUNING = {
  // Transactions

  /**
   * How long a statement waits for a lock before a request returns 503 or a job is retried. Longer than any of our
   * transactions, shorter than a caller's patience.
   */
  databaseLockMs: 3 * SECOND,
  /**
   * Parallel write transactions per partner or user and process, capped at half of DATABASE_POOL_SIZE. This is a
   * quarter of the default pool, so that one caller cannot starve the rest.
   */
  callerTransactions: 4,
  /** How many more can wait; the next one gets 429. Fits a shop's burst; a longer queue would be served too late. */
  callerTransactionsWaiting: 200,
  /** How long each can wait before it gets 503. Same as for a lock: callers can't tell which one they wait for. */
  callerWaitMs: 3 * SECOND,

  // Redis

  /** How long a command may take before a request returns 503. Redis answers within milliseconds or is down. */
  redisCommandMs: SECOND,

  // Limits that the API does not document, per minute unless stated otherwise

  /** Test events (`webhook.ping`) to one host, across all partners, so that nobody can use us to flood it. */
  limitPingHost: 30,
  /** Console and ops API, per staff member: enough for a person with several tabs, not for a loop. */
  limitStaff: 600,
  /** CSV exports from the console, per staff member: each may read a whole table. */
  limitStaffExports: 30,
  /** Checkout forms per address, and provider calls per session: enough for typos, too few to test stolen cards. */
  limitCheckout: 30,
  /** Sign-up and password-reset links per network address and day: enough for an office behind one address. */
  limitLinkMails: 100,
  /** Forms on brokerage progress and registrant pages, per address: a buyer sends a few in weeks. */
  limitProgressPage: 20,
  /**
   * Mails per day to one buyer of a partner, and of each other kind to one address: far more than sales cause, so that
   * only floods hit the limit.
   */
  mailAddressPerDay: 100,
  /** Mails with links that anyone can request, per day and recipient: more than people need, too few to annoy. */
  mailLinksPerDay: 20,
  /** Invitations per day from one account; a partner gets three times as many. Enough to invite a team in a day. */
  invitationsPerDay: 20,

  // Jobs

  /** How often the relay polls for due jobs. Commits wake it; polling finds jobs that were scheduled for later. */
  outboxPollMs: 250,
  /** When we resend an unfinished job. Must exceed `jobLockMs` and WEBHOOK_TIMEOUT_MS, or two runs could overlap. */
  outboxLeaseMs: 60 * SECOND,
  /** How often we look for lost jobs and schedules: it is cheap, and Redis may be wiped at any time. */
  reconcileMs: 5 * SECOND,
  /** How long a dead worker holds a job. Any shorter, and a worker whose event loop stalls loses running jobs. */
  jobLockMs: 10 * SECOND,
  /**
   * Maximum orders per settlement transaction; fewer if they would lock the history for too long. Above this, the
   * overhead of a transaction is negligible next to its rows.
   */
  settlementBatchSize: 5_000,

  // Transfers and registries

  /**
   * Minimum wait between polls of a push: as long as the sandbox registrar takes, so that the first finds it done. Above
   * that we wait a tenth of the time it has spent in its state, so that we notice a change at most a tenth late.
   */
  transferPollMs: 2 * SECOND,
  /** Maximum wait between polls of a push: one that takes days costs the registry 144 requests a day. */
  transferPollMaxMs: 10 * MINUTE,
  /** How long the sandbox registrar takes for a push: a partner testing an order sees it move without a long wait. */
  sandboxRegistrarDelayMs: 2 * SECOND,
  /** The same for `slow-transfer-` names: long enough to cancel, or to watch a transfer that seems stuck. */
  sandboxRegistrarSlowDelayMs: MINUTE,
  /** How long the registry may take to answer. Registries promise a few seconds. */
  eppAnswerMs: 10 * SECOND,

  // Lookups

  /** Total time for a lookup, including fallbacks: as long as a person waits for a page. */
  lookupMs: 8 * SECOND,
  /** Time for one RDAP or WHOIS server: a lookup has time for two. */
  lookupServerMs: 4 * SECOND,
  /** Time for the registrar's record, which only adds detail to an answer we already have. */
  lookupRegistrarMs: 2_500,
  /** How long the record of a registered name is cached: records change by the day. */
  lookupCacheMs: HOUR,
  /** How long we cache that a name is free: somebody may register it at any time. */
  lookupFreeCacheMs: MINUTE,
  /** Parallel queries to one server, per process: with more, registries block our address. */
  lookupPerServer: 4,
  /** IANA's list of RDAP servers (RFC 9224). */
  lookupBootstrapUrl: 'https://data.iana.org/rdap/dns.json',
  /** The WHOIS server that knows the WHOIS server of each TLD, with `:port` if it is not 43. */
  lookupWhoisServer: 'whois.iana.org',
  /** How long domain search waits for a registry before a name is `unknown`: a slow one must not delay the others. */
  domainSearchBudgetMs: 2 * SECOND,
  /** How long a search waits for embeddings, which only rank its matches: a fast page is worth more than late ones. */
  embeddingsBudgetMs: 150,
  /** Listings per worker call to the embeddings endpoint: few enough for a model on a CPU to answer in time. */
  embeddingsBatchSize: 64,

  // Webhooks and bulk operations

  /** Maximum parallel deliveries to one endpoint. It starts with 4 and gets more while it answers well. */
  webhookMaxInFlight: 64,
  /** Maximum share (percent) of a process's deliveries for retries and failing endpoints. Healthy ones get the rest. */
  webhookRetrySharePercent: 30,
  /** Domains per job of a bulk operation, so that a job ends within seconds and a killed worker repeats little. */
  bulkChunkSize: 100,
  /** Parallel calls to the registrar per chunk: registrars limit calls per account. */
  bulkParallelCalls: 4,
  /** How often a progress stream polls: a bar that moves twice a second looks alive. */
  bulkStreamPollMs: 500,
  /** How long a progress stream may be silent: proxies cut silent connections after 30 seconds or more. */
  bulkStreamHeartbeatMs: 15 * SECOND,
  /** Progress streams per user and process: enough for several tabs, without a flood of connections. */
  bulkStreams: 5,

  // Other services

  /** How long a figure for metrics, status or console may take: a second more than its statement timeout. */
  figureWaitMs: 3 * SECOND,
  /** How long a process caches a credential. A revocation drops it at once; this limit matters when Redis is down. */
  credentialCacheMs: 5 * SECOND,
  /** How long the SMTP server may take to connect or stay silent: servers that check for spam are slow. */
  mailTimeoutMs: 20 * SECOND,
  /** Waits after temporary failures of a mail, about two days in all, as mail servers do; after the last it bounces. */
  mailScheduleMs: [
    30 * SECOND,
    2 * MINUTE,
    10 * MINUTE,
    30 * MINUTE,
    HOUR,
    2 * HOUR,
    4 * HOUR,
    8 * HOUR,
    12 * HOUR,
    24 * HOUR,
  ] as readonly number[],
  /** Replaces Stripe's API in tests; empty means the real one. */
  stripeApiUrl: '',
};

export type Tuning = typeof TUNING;

/** @throws Error with a message that says what is wrong with the text */
export function parseTuning(text: string): Partial<Tuning> {
  const given: unknown = JSON.parse(text);
  if (typeof given !== 'object' || given === null) throw new Error('must be a JSON object');
  for (const [name, value] of Object.entries(given)) {
    const known = Object.hasOwn(TUNING, name) ? TUNING[name as keyof Tuning] : undefined;
    if (typeof known !== typeof value || Array.isArray(known) !== Array.isArray(value)) {
      throw new Error(`has no ${name} of this kind`);
    }
  }
  return given;
}
