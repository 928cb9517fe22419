import { DAY, HOUR, MINUTE, SECOND } from '../clock.ts';
import { durations, integer, ms, oneOf, type Section } from './variable.ts';

/** Webhook and bulk workers, and how long we keep finished data. */
export const WORKER_SECTIONS = [
  {
    title: 'Webhooks',
    about: '[webhooks.md](webhooks.md)',
    variables: {
      webhookAllowPrivate: oneOf(
        'WEBHOOK_ALLOW_PRIVATE',
        ['true', 'false', ''],
        '',
        'Whether targets may be loopback or private addresses; empty is true in development and test, false in production.',
      ),
      webhookTimeoutMs: ms(
        'WEBHOOK_TIMEOUT_MS',
        5 * SECOND,
        'Time a receiver has to respond.',
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
        'Delays after failed attempts, comma-separated.',
      ),
      webhookConcurrency: integer(
        'WEBHOOK_CONCURRENCY',
        512,
        'Parallel deliveries of one worker process.',
        1,
        1_000,
      ),
      webhookRotationHours: integer(
        'WEBHOOK_ROTATION_HOURS',
        24,
        'How long an old webhook secret also signs after a rotation.',
        0,
        168,
      ),
      webhookDisableAfterMs: ms(
        'WEBHOOK_DISABLE_AFTER_MS',
        5 * DAY,
        'An endpoint that fails for this long is disabled.',
      ),
      deliveryKeepDays: integer(
        'DELIVERY_KEEP_DAYS',
        90,
        'When webhook deliveries are deleted, in whole weeks.',
        1,
        3_650,
      ),
    },
  },
  {
    title: 'Bulk operations',
    about: '[bulk.md](bulk.md)',
    variables: {
      bulkConcurrency: integer(
        'BULK_CONCURRENCY',
        10,
        'Parallel chunks in one worker process.',
        1,
        100,
      ),
    },
  },
  {
    title: 'Retention',
    about: '[operations.md](operations.md#retention)',
    variables: {
      checkoutBuyerKeepDays: integer(
        'CHECKOUT_BUYER_KEEP_DAYS',
        7,
        'When the buyer (email, name, country) is erased from a checkout session that ended without an order.',
        1,
        3_650,
      ),
      brokerageBuyerKeepDays: integer(
        'BROKERAGE_BUYER_KEEP_DAYS',
        90,
        "When the buyer's email is erased from a case that closed without a deal.",
        1,
        3_650,
      ),
      signInFailureKeepDays: integer(
        'SIGN_IN_FAILURE_KEEP_DAYS',
        90,
        'When failed sign-ins are deleted.',
        1,
        3_650,
      ),
      requestLogKeepDays: integer(
        'REQUEST_LOG_KEEP_DAYS',
        7,
        'When entries of the request logs of partners are deleted.',
        1,
        90,
      ),
    },
  },
] as const satisfies readonly Section[];
