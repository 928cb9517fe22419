import { DAY, HOUR, MINUTE, SECOND } from './clock.ts';
import { durations, integer, ms, oneOf, type Variable } from './config-kinds.ts';

/** The worker fleet: webhooks, the outbox, and how long what is finished is kept. */
export const FLEET_VARIABLES = {
  webhookAllowPrivate: oneOf(
    'WEBHOOK_ALLOW_PRIVATE',
    ['true', 'false', ''],
    '',
    'Whether webhook targets may be loopback or private addresses; empty is true in development and test, false in production.',
  ),
  webhookTimeoutMs: ms(
    'WEBHOOK_TIMEOUT_MS',
    5 * SECOND,
    'Total time a receiver has to answer.',
    100,
  ),
  webhookScheduleMs: durations(
    'WEBHOOK_SCHEDULE_MS',
    [
      5 * SECOND,
      30 * SECOND,
      2 * MINUTE,
      10 * MINUTE,
      30 * MINUTE,
      2 * HOUR,
      5 * HOUR,
      10 * HOUR,
      14 * HOUR,
      20 * HOUR,
      24 * HOUR,
    ],
    'Waits after each failed attempt (milliseconds, comma-separated).',
  ),
  webhookMaxInFlight: integer(
    'WEBHOOK_MAX_IN_FLIGHT',
    4,
    'Deliveries under way to one endpoint at once.',
    1,
    100,
  ),
  webhookConcurrency: integer(
    'WEBHOOK_CONCURRENCY',
    64,
    'Deliveries under way in one worker process at once.',
    1,
    1_000,
  ),
  webhookRetrySharePercent: integer(
    'WEBHOOK_RETRY_SHARE_PERCENT',
    30,
    'Share of the delivery slots that retries and failing endpoints may take; the rest is kept for everybody else.',
    1,
    100,
  ),
  webhookRotationHours: integer(
    'WEBHOOK_ROTATION_HOURS',
    24,
    'Hours for which an old webhook secret still signs beside the new one.',
    0,
    168,
  ),
  webhookDisableAfterMs: ms(
    'WEBHOOK_DISABLE_AFTER_MS',
    5 * DAY,
    'An endpoint that did nothing but fail for this long is disabled.',
  ),

  outboxPollMs: ms(
    'OUTBOX_POLL_MS',
    250,
    'How often the relay looks for due work when nobody wakes it.',
    10,
  ),
  outboxLeaseMs: ms(
    'OUTBOX_LEASE_MS',
    60 * SECOND,
    'How long a dispatched job may go unfinished before it is sent again.',
    100,
  ),
  reconcileMs: ms(
    'RECONCILE_MS',
    5 * SECOND,
    'How often lost jobs and wiped schedules are looked for.',
    50,
  ),
  jobLockMs: ms(
    'JOB_LOCK_MS',
    10 * SECOND,
    'How long a dead worker keeps a job before another takes it.',
    500,
  ),
  outboxKeepDays: integer(
    'OUTBOX_KEEP_DAYS',
    7,
    'Days for which finished jobs are kept.',
    0,
    3_650,
  ),
  deliveryKeepDays: integer(
    'DELIVERY_KEEP_DAYS',
    90,
    'Days for which finished webhook deliveries and their attempts are kept.',
    1,
    3_650,
  ),
} satisfies Record<string, Variable<unknown>>;
