import { Gauge, type Registry } from 'prom-client';

/** What is true of the whole installation, whichever process tells it. */
export interface FleetGauges {
  /** Whether the figures of a source could be read: `postgres`, `redis`. */
  readOk: Gauge<'source'>;
  queueJobs: Gauge<'queue' | 'state'>;
  queueOldest: Gauge<'queue'>;
  outboxBacklog: Gauge<'queue' | 'state'>;
  outboxOldest: Gauge<'queue' | 'state'>;
  endpoints: Gauge<'class'>;
  deliveriesDue: Gauge<'class'>;
  deliveriesOldest: Gauge<'class'>;
  settlementRuns: Gauge<'environment'>;
  settlementRunOldest: Gauge<'environment'>;
  work: Gauge<'kind' | 'environment'>;
  ledgerImbalances: Gauge;
  ledgerCheckAge: Gauge;
  ledgerWholeCheckAge: Gauge;
}

/** The gauges of the installation, in a registry of their own. */
export function createFleetGauges(registry: Registry): FleetGauges {
  const gauge = <T extends string>(name: string, help: string, labelNames: readonly T[]) =>
    new Gauge<T>({ name: `marketplace_${name}`, help, labelNames, registers: [registry] });
  return {
    readOk: gauge('fleet_read_ok', 'Whether the figures of the installation could be read.', [
      'source',
    ]),
    queueJobs: gauge('queue_jobs', 'Jobs in Redis.', ['queue', 'state']),
    queueOldest: gauge('queue_oldest_waiting_seconds', 'Wait of the job that is next in line.', [
      'queue',
    ]),
    outboxBacklog: gauge('outbox_backlog', 'Outbox rows that are due and not done, or dead.', [
      'queue',
      'state',
    ]),
    outboxOldest: gauge('outbox_oldest_seconds', 'How long the longest due row has been due.', [
      'queue',
      'state',
    ]),
    endpoints: gauge('webhook_endpoints', 'Webhook endpoints.', ['class']),
    deliveriesDue: gauge(
      'webhook_deliveries_due',
      'Deliveries that are due and not under way, counted up to 1,000 an endpoint.',
      ['class'],
    ),
    deliveriesOldest: gauge(
      'webhook_oldest_due_seconds',
      'How long the longest due delivery has been due.',
      ['class'],
    ),
    settlementRuns: gauge('settlement_runs_open', 'Settlement runs that have not ended.', [
      'environment',
    ]),
    settlementRunOldest: gauge(
      'settlement_run_oldest_seconds',
      'Age of the oldest settlement run that has not ended.',
      ['environment'],
    ),
    work: gauge('work_waiting', 'What waits for people, by kind and environment.', [
      'kind',
      'environment',
    ]),
    ledgerImbalances: gauge(
      'ledger_imbalances',
      'What did not add up at the last recount of the ledger.',
      [],
    ),
    ledgerCheckAge: gauge('ledger_check_age_seconds', 'Age of the last recount of the ledger.', []),
    ledgerWholeCheckAge: gauge(
      'ledger_whole_check_age_seconds',
      'Age of the last recount of the whole ledger.',
      [],
    ),
  };
}
