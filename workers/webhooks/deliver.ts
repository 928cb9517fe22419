import { traced } from '../../shared/platform/tracing.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { createAttemptStarter, type StartedAttempt } from '../../shared/webhooks/begin-attempt.ts';
import { releaseDeliveries } from '../../shared/webhooks/claim-deliveries.ts';
import type { ClaimedDelivery } from '../../shared/webhooks/delivery.ts';
import { createAttemptRecorder, type Recorded } from '../../shared/webhooks/record-attempt.ts';
import { wakeRelay } from '../outbox/wake.ts';
import type { WorkContext } from '../runtime/row.ts';

/** What BullMQ carries for a delivery: where the truth stands. */
export interface DeliverData {
  deliveryId: string;
  epoch: number;
}

const MAX_RESPONSE_BYTES = 64 * 1_024;

/**
 * Makes one attempt: reads the delivery afresh, sends the event's exact bytes, records what came of it.
 * A job that is not the delivery's present one does nothing.
 */
export async function deliver(
  { runtime, signal }: WorkContext,
  data: unknown,
): Promise<Recorded | 'released'> {
  const { deliveryId, epoch } = data as DeliverData;
  const claim: ClaimedDelivery = { id: deliveryId, epoch };
  const { begin, record } = stepsOf(runtime);
  const started = await begin(claim);
  if (!started) return 'stale';

  return traced(
    {
      name: 'webhook attempt',
      kind: 'client',
      parent: started.traceParent,
      facts: { 'webhook.event_type': started.eventType, 'webhook.attempt': started.attempt },
    },
    () => attempt({ runtime, signal }, started, record),
    (outcome) => ({ facts: { 'webhook.outcome': outcome }, failed: outcome !== 'delivered' }),
  );
}

async function attempt(
  { runtime, signal }: WorkContext,
  started: StartedAttempt,
  record: Steps['record'],
): Promise<Recorded | 'released'> {
  const result = await runtime.http.request({
    method: 'POST',
    ...started.request,
    deadlineMs: runtime.config.webhookTimeoutMs,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    signal,
  });
  if (result.kind === 'failure' && result.reason === 'aborted') {
    // This process goes; that says nothing about the receiver, so it is no attempt.
    await releaseDeliveries(runtime, [{ id: started.id, epoch: started.epoch }]);
    return 'released';
  }
  const recorded = await record({ started, result });
  measure(runtime, started, result.elapsedMs, recorded);
  // The endpoint has a free place: what waits for it goes out now, not at the next poll.
  wakeRelay(runtime);
  return recorded;
}

function measure(
  { metrics, clock }: Runtime,
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

interface Steps {
  begin: ReturnType<typeof createAttemptStarter>;
  record: ReturnType<typeof createAttemptRecorder>;
}

/** Jobs of one process share their statements. */
const steps = new WeakMap<Runtime, Steps>();

function stepsOf(runtime: Runtime): Steps {
  let found = steps.get(runtime);
  if (!found) {
    found = { begin: createAttemptStarter(runtime), record: createAttemptRecorder(runtime) };
    steps.set(runtime, found);
  }
  return found;
}
