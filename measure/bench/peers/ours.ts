import { recordedOrder } from '../../../test/support/events.ts';
import type { PartnerFixture } from '../../../test/support/factories.ts';
import type { TestRuntime } from '../../../test/support/runtime.ts';
import { noOpJob } from '../support/no-op-job.ts';
import type { PeerJob, Producer, Work } from './peer.ts';

/** Adds our own work: events or outbox jobs, in one transaction. */
export function produceOurs(
  { db, queues }: TestRuntime,
  work: Work,
  partners: readonly PartnerFixture[],
): Producer {
  const addEvents = (jobs: readonly PeerJob[]) =>
    db.transact(async (uow) => {
      for (const { n } of jobs) {
        const partner = partners[n % partners.length];
        if (!partner) throw new Error('no partner has an endpoint');
        uow.events.add(partner, recordedOrder('ord_00000000000000000000000000'));
      }
    });
  const addJobs = (jobs: readonly PeerJob[]) =>
    db.transact(async (uow) => {
      for (const { n } of jobs) uow.jobs.add(noOpJob, { n });
    });
  const isIdle = async (table: string, end: string) =>
    (await db.knex(table).whereNot({ state: end }).limit(1)).length === 0;
  return {
    add: work === 'deliveries' ? addEvents : addJobs,
    isIdle: () =>
      work === 'deliveries' ? isIdle('webhook_deliveries', 'delivered') : isIdle('outbox', 'done'),
    async clear() {
      await db.knex.raw('truncate webhook_attempts, webhook_deliveries, events, outbox, job_keys');
      for (const queue of queues.all()) await queue.obliterate({ force: true });
    },
    close: async () => {},
  };
}
