import { HOUR, MINUTE, SECOND } from '../clock.ts';

/**
 * Waits, sizes and addresses that no operator has a reason to change, and that tests do change: `TUNING` overrides
 * them, see `process-variables.ts`. What not even a test changes is a constant beside its code.
 */
export const TUNING = {
  // Transactions

  /** How long a statement waits for a lock; then a request is 503 and a job runs again. Longer than any transaction of ours takes, shorter than a caller's patience. */
  databaseLockMs: 3 * SECOND,
  /** Parallel writing transactions of one partner or user per process, at most half of DATABASE_POOL_SIZE: a quarter of the default pool, so that one caller cannot starve the rest. */
  callerTransactions: 4,
  /** How many more may wait; the next one is 429. A burst of a shop fits; a longer queue would only be answered too late. */
  callerTransactionsWaiting: 200,
  /** How long one may wait; then it is 503. As for a lock: a caller does not notice which of them it waits for. */
  callerWaitMs: 3 * SECOND,

  // Redis

  /** How long a command may take; then a request is 503. Redis answers within milliseconds, or is not there. */
  redisCommandMs: SECOND,

  // Limits that are no part of the API's promises, a minute when no other time is named

  /** Test events (`webhook.ping`) to one host, over all partners: nobody is flooded in our name. */
  limitPingHost: 30,
  /** Console and ops API, per member of staff: a person with several tabs stays below it, a loop does not. */
  limitStaff: 600,
  /** Lists as CSV from the console, per member of staff: each may read a whole table. */
  limitStaffExports: 30,
  /** Checkout forms per address, and questions to the payment provider per session: enough for typing errors, too few to try cards out. */
  limitCheckout: 30,
  /** Links asked for by mail, per address and day, to sign up or to reset a password: an office behind one address gets along. */
  limitLinkMails: 100,
  /** Changes on progress pages of brokerage, per address: a buyer makes a few in weeks. */
  limitProgressPage: 20,
  /** Mails a day to one buyer of a partner, and of each other kind to one address: far above what sales cause, so that only floods meet it. */
  mailAddressPerDay: 100,
  /** Links that anybody can have sent, a day and address: more than anybody needs, too few to annoy. */
  mailLinksPerDay: 20,
  /** Invitations a day by one account; three times as many to one partner. A team is invited in a day. */
  invitationsPerDay: 20,

  // Jobs

  /** How often the relay looks for due jobs without being woken. A commit wakes it; this finds what became due by time. */
  outboxPollMs: 250,
  /** When an unfinished job is sent again. Longer than `jobLockMs` and WEBHOOK_TIMEOUT_MS, or work would run twice at once. */
  outboxLeaseMs: 60 * SECOND,
  /** How often lost jobs and schedules are looked for: looking is cheap, and Redis may be wiped at any time. */
  reconcileMs: 5 * SECOND,
  /** How long a dead worker keeps a job. Shorter, and a worker whose loop is held up for seconds loses jobs it still does. */
  jobLockMs: 10 * SECOND,
  /** Most orders per transaction of a settlement; fewer if they would lock the history for too long. Beyond this the cost of a transaction is nothing beside its rows. */
  settlementBatchSize: 5_000,

  // Transfers and registries

  /** Shortest wait between polls of a push; otherwise a tenth of the time it has been in its state, so that news is late by a tenth at most. */
  transferPollMs: SECOND,
  /** Longest wait between polls of a push: those of days then cost a registry 144 questions a day. */
  transferPollMaxMs: 10 * MINUTE,
  /** How long the sandbox's registrar takes for a push: a partner who tries an order out sees it move, and need not wait. */
  sandboxRegistrarDelayMs: 2 * SECOND,
  /** The same for `slow-transfer-` names: long enough to cancel, or to watch a transfer that does not end. */
  sandboxRegistrarSlowDelayMs: MINUTE,
  /** How long the registry may take to answer. Registries promise seconds. */
  eppAnswerMs: 10 * SECOND,

  // Lookups

  /** Total time of a lookup, fallbacks included: as long as a person waits for a page. */
  lookupMs: 8 * SECOND,
  /** Time for one RDAP or WHOIS server: two of them fit into a lookup. */
  lookupServerMs: 4 * SECOND,
  /** Time for the registrar's record, which only adds to an answer that we have. */
  lookupRegistrarMs: 2_500,
  /** How long the record of a registered name is cached: records change by the day. */
  lookupCacheMs: HOUR,
  /** How long a free name is cached: somebody may register it at any time. */
  lookupFreeCacheMs: MINUTE,
  /** Parallel queries to one server, per process: more, and registries block our address. */
  lookupPerServer: 4,
  /** IANA's list of RDAP servers (RFC 9224). */
  lookupBootstrapUrl: 'https://data.iana.org/rdap/dns.json',
  /** The WHOIS server that names those of TLDs, with `:port` if it is not 43. */
  lookupWhoisServer: 'whois.iana.org',
  /** How long domain search waits for a registry; then a name is `unknown`. One slow registry must not delay the others. */
  domainSearchBudgetMs: 2 * SECOND,
  /** How long a search waits for embeddings, which rank what words have found: late ones are worth less than a quick page. */
  embeddingsBudgetMs: 150,
  /** Listings per call of the worker to the embeddings endpoint: few enough for a model on a CPU to answer in time. */
  embeddingsBatchSize: 64,

  // Webhooks and bulk operations

  /** Parallel deliveries to one endpoint at most. It begins with 4, and gets more while it answers well. */
  webhookMaxInFlight: 64,
  /** Share of a process's deliveries for retries and failing endpoints at most, in percent, so that those who answer get the rest. */
  webhookRetrySharePercent: 30,
  /** Domains per job of a bulk operation: a job ends within seconds, and a killed worker repeats little. */
  bulkChunkSize: 100,
  /** Parallel calls to the registrar per chunk: registrars limit calls by account. */
  bulkParallelCalls: 4,
  /** How often a progress stream looks for news: a bar that moves twice a second looks alive. */
  bulkStreamPollMs: 500,
  /** How long a progress stream may be silent: proxies cut silent connections after 30 seconds or more. */
  bulkStreamHeartbeatMs: 15 * SECOND,
  /** Progress streams of one user per process: several tabs, and no flood of connections. */
  bulkStreams: 5,

  // Other services

  /** How long a figure of metrics, status and console may take: a second more than its statement gets, for the way to it. */
  figureWaitMs: 3 * SECOND,
  /** How long a process caches a credential. A revocation drops it at once; this is for when Redis is away. */
  credentialCacheMs: 5 * SECOND,
  /** How long the SMTP server may be silent, or take to connect: servers that check for spam take their time. */
  mailTimeoutMs: 20 * SECOND,
  /** Waits after attempts at a mail that failed for now, about two days; after the last one it has bounced. As mail servers do it. */
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
  /** Stands for Stripe's API in tests; empty is Stripe itself. */
  stripeApiUrl: '',
};

export type Tuning = typeof TUNING;

/** @throws Error whose message says what is wrong with the text */
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
