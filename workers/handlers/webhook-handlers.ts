import type { Queues } from '../../shared/delivery/jobs/job-queues.ts';
import {
  createAttemptStarter,
  type StartedAttempt,
} from '../../shared/delivery/webhooks/begin-attempt.ts';
import type { ClaimedDelivery } from '../../shared/delivery/webhooks/delivery.ts';
import {
  claimDeliveries,
  reclaimDeliveries,
  releaseDeliveries,
} from '../../shared/delivery/webhooks/dispatch-deliveries.ts';
import { createAttemptRecorder } from '../../shared/delivery/webhooks/record-attempt.ts';
import type { Recorded } from '../../shared/delivery/webhooks/record-attempt-with-health.ts';
import { withSpan } from '../../shared/platform/observability/tracing.ts';
import type { WorkerServices } from '../compose-workers.ts';
import type { DispatchSource } from '../outbox/relay.ts';
import type { QueueHandler } from '../runtime/job-handler.ts';

/** What BullMQ carries for a delivery: where the truth stands. */
export interface DeliverData {
  deliveryId: string;
  epoch: number;
}

const MAX_RESPONSE_BYTES = 64 * 1_024;

/** How long one job of the queue keeps its slot while more waits for its endpoint; then others have a turn. */
const MAX_SLOT_MS = 250;

/** What the deliveries of one process share: statements of several attempts go out together. */
interface AttemptSteps {
  services: WorkerServices;
  begin: ReturnType<typeof createAttemptStarter>;
  record: ReturnType<typeof createAttemptRecorder>;
}

/**
 * Makes an attempt (reads the delivery afresh, sends the event's exact bytes, records what came of it), and
 * goes on with the endpoint's next delivery until its turn is over: recording one claims and reads the next.
 * A job that is not the delivery's present one does nothing.
 * @param wakeRelay makes the relay of this process look for due work now, which halves the time from one job's end
 *   to the next one's start
 */
export function createDeliveryHandler(
  services: WorkerServices,
  wakeRelay: () => void,
): QueueHandler {
  const steps: AttemptSteps = {
    services,
    begin: createAttemptStarter(services),
    record: createAttemptRecorder(services),
  };
  return {
    queue: 'webhooks',
    async deliver({ signal }, data): Promise<AttemptResult['outcome']> {
      const { deliveryId, epoch } = data as DeliverData;
      const turnEnds = performance.now() + MAX_SLOT_MS;
      let started = await steps.begin({ id: deliveryId, epoch });
      let outcome: AttemptResult['outcome'] = 'stale';
      while (started) {
        const made = await makeAttempt(steps, signal, started, turnEnds);
        ({ outcome, next: started } = made);
      }
      // The endpoint has a free place: what waits for it goes out now, not at the next poll.
      if (outcome !== 'stale' && outcome !== 'released') wakeRelay();
      return outcome;
    },
  };
}

interface AttemptResult {
  outcome: Recorded | 'released';
  next: StartedAttempt | undefined;
}

function makeAttempt(
  steps: AttemptSteps,
  signal: AbortSignal,
  started: StartedAttempt,
  turnEnds: number,
): Promise<AttemptResult> {
  return withSpan(
    {
      name: 'webhook attempt',
      kind: 'client',
      parent: started.traceParent,
      facts: { 'webhook.event_type': started.eventType, 'webhook.attempt': started.attempt },
    },
    () => sendAndRecord(steps, signal, started, turnEnds),
    ({ outcome }) => ({ facts: { 'webhook.outcome': outcome }, failed: outcome !== 'delivered' }),
  );
}

async function sendAndRecord(
  { services, record }: AttemptSteps,
  signal: AbortSignal,
  started: StartedAttempt,
  turnEnds: number,
): Promise<AttemptResult> {
  const result = await services.http.request({
    method: 'POST',
    ...started.request,
    deadlineMs: services.config.webhookTimeoutMs,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    signal,
  });
  if (result.kind === 'failure' && result.reason === 'aborted') {
    // This process goes; that says nothing about the receiver, so it is no attempt.
    await releaseDeliveries(services, [{ id: started.id, epoch: started.epoch }]);
    return { outcome: 'released', next: undefined };
  }
  const recorded = await record({ started, result }, performance.now() < turnEnds);
  measure(services, started, result.elapsedMs, recorded.outcome);
  return recorded;
}

function measure(
  { metrics, clock }: WorkerServices,
  { endpointClass, createdAt }: StartedAttempt,
  elapsedMs: number,
  outcome: Recorded,
): void {
  const labels = { class: endpointClass };
  metrics.webhookAttempts.inc({ ...labels, outcome });
  metrics.webhookAttemptSeconds.observe(labels, elapsedMs / 1_000);
  if (outcome !== 'delivered') return;
  const waitedMs = Math.max(0, clock.now().getTime() - createdAt.getTime());
  metrics.webhookDeliverySeconds.observe(labels, waitedMs / 1_000);
}

/** Carries due deliveries to BullMQ. Postgres holds the schedule; the queue only what goes out now. */
export function createDeliverySource(runtime: WorkerServices): DispatchSource {
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
