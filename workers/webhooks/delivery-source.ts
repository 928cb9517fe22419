import type { Queues } from '../../shared/platform/queues.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { claimDeliveries, releaseDeliveries } from '../../shared/webhooks/claim-deliveries.ts';
import type { ClaimedDelivery } from '../../shared/webhooks/delivery.ts';
import { reclaimDeliveries } from '../../shared/webhooks/reclaim-deliveries.ts';
import type { DispatchSource } from '../outbox/dispatch-source.ts';
import type { DeliverData } from './deliver.ts';

/** Carries due deliveries to BullMQ. Postgres holds the schedule; the queue only what goes out now. */
export function createDeliverySource(runtime: Runtime): DispatchSource {
  const { queues } = runtime;
  return {
    name: 'deliveries',

    async dispatch(limit) {
      const claims = await claimDeliveries(runtime, limit);
      if (claims.length === 0) return 0;
      try {
        await queues.get('webhooks').addBulk(claims.map(toJob));
      } catch (error) {
        // Those that did get in find themselves stale.
        await releaseDeliveries(runtime, claims);
        throw error;
      }
      return claims.length;
    },

    reconcile: ({ wiped }) =>
      reclaimDeliveries(runtime, { wiped, isQueued: (claims) => areQueued(queues, claims) }),
  };
}

function toJob({ id, epoch }: ClaimedDelivery) {
  return {
    name: 'deliver',
    data: { deliveryId: id, epoch } satisfies DeliverData,
    // The log of attempts is in Postgres; a finished job would only take room.
    opts: { jobId: jobIdOf({ id, epoch }), removeOnComplete: true },
  };
}

function jobIdOf({ id, epoch }: ClaimedDelivery): string {
  return `deliver-${id}-${epoch}`;
}

/** A job that waits or runs; one whose worker died is handed on by BullMQ. */
async function areQueued(queues: Queues, claims: readonly ClaimedDelivery[]): Promise<boolean[]> {
  const queue = queues.get('webhooks');
  const jobs = await Promise.all(claims.map((claim) => queue.getJob(jobIdOf(claim))));
  return jobs.map((job) => job !== undefined && job.finishedOn === undefined);
}
