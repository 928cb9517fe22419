import {
  type CodeThatIsOut,
  lookAfterCode,
  UNSEEN_MS,
} from '../../shared/domains/registrar/look-after-code.ts';
import type { PushState, Registrar } from '../../shared/domains/registrar/registrar.ts';
import { recordAudit } from '../../shared/people/audit/audit-log.ts';
import { addMs, HOUR, MINUTE } from '../../shared/platform/clock.ts';
import { remindRegistrantJob, startTransferJob } from '../../shared/sales/orders/order.jobs.ts';
import { remindOfRegistrant } from '../../shared/sales/orders/order-registrant.ts';
import { getOrderById } from '../../shared/sales/orders/read-orders.ts';
import { recordCancelPushResult } from '../../shared/sales/refunds/pending-refund.ts';
import {
  confirmDeliveryIfAwaited,
  expireClaim,
  readDelivery,
  recordApproved,
  recordCodeExpired,
  recordFetched,
} from '../../shared/sales/transfers/deliver-domain.ts';
import {
  type DeliveryIssue,
  expireDeliveryJob,
  watchDeliveryJob,
} from '../../shared/sales/transfers/domain-delivery.jobs.ts';
import { codeReferences, isCodeOut } from '../../shared/sales/transfers/domain-delivery.ts';
import {
  beginPush,
  claimPush,
  isCurrentPush,
  isUnchanged,
  type OpenPush,
  type PushProgress,
  readTransfer,
  recordPushState,
  recordUnreachable,
} from '../../shared/sales/transfers/registrar-push.ts';
import { startTransferIfPaid } from '../../shared/sales/transfers/start-transfer.ts';
import {
  confirmDeliveryJob,
  type PushAttempt,
  pollTransferJob,
  pushTransferJob,
  stopPushJob,
} from '../../shared/sales/transfers/transfer.jobs.ts';
import { pushReference } from '../../shared/sales/transfers/transfer.ts';
import {
  done,
  giveUp,
  handle,
  isFinalAttempt,
  type JobContext,
  type Outcome,
  snooze,
} from '../runtime/job-handler.ts';
import { answerOf, nextLookAt, nextPollAt } from './ask-registrar.ts';

/** Starts the transfer of a paid order, under the automatic policy, and makes its first push. */
export const startTransferHandler = handle(startTransferJob, async (context, { orderId }) => {
  const { runtime, job } = context;
  const ticket = { orderId, attempt: 1 };
  const push = await runtime.db.transact(async (uow) => {
    const locked = await startTransferIfPaid(uow, runtime.registrars, orderId);
    const begun = await claimPush(uow, runtime, locked, ticket.attempt);
    // An order that was held meanwhile enqueues the job again when it is approved, under the same key.
    if (!begun) uow.jobs.finish(job, startTransferJob.dedupeKey?.({ orderId }));
    return begun;
  });
  return push ? handOver(context, ticket, push) : done();
});

/** Reminds buyer and partner of an order that still waits for its registrant. */
export const remindRegistrantHandler = handle(
  remindRegistrantJob,
  async ({ runtime, job }, reminder) => {
    await runtime.db.transact(async (uow) => {
      await remindOfRegistrant(uow, reminder);
      uow.jobs.finish(job);
    });
    return done();
  },
);

/**
 * Hands one push over to the registrar; after the first response the push is polled. Any number of runs make one push,
 * since the registrar identifies the push by its reference.
 */
export const pushTransferHandler = handle(pushTransferJob, pushTransfer);

async function pushTransfer(context: JobContext, ticket: PushAttempt): Promise<Outcome> {
  const { runtime } = context;
  const push = await beginPush(runtime, ticket);
  return push ? handOver(context, ticket, push) : done();
}

/** Asks the registrar for a push that has begun, and records its answer. */
async function handOver(
  context: JobContext,
  ticket: PushAttempt,
  push: OpenPush,
): Promise<Outcome> {
  const { runtime } = context;
  if (push.transfer.status !== 'pushing') return done();
  const registrar = runtime.registrars(push.transfer.environment);

  const asked = await answerOf(context, pushToRegistrar(registrar, push), (uow) =>
    recordUnreachable(uow, ticket),
  );
  if ('silence' in asked) return asked.silence;
  const state = asked.answer;

  const progress = await runtime.db.transact(async (uow): Promise<PushProgress> => {
    const recorded = await recordPushState(uow, runtime, ticket, state);
    if (recorded !== 'unwanted') uow.jobs.finish(context.job);
    return recorded;
  });
  if (progress !== 'unwanted') return done();
  // The order was refunded meanwhile. The refund's job has stopped the push, so this finds it stopped.
  const stopped = await registrar.cancel(referenceOf(push));
  if (stopped === 'cancelled') return done();
  return giveUp('the registrar moved the domain of a refunded order; people must fetch it back');
}

async function pushToRegistrar(registrar: Registrar, push: OpenPush): Promise<PushState> {
  const { transfer, domain } = push;
  for (let former = transfer.attempts - 1; former >= 1; former -= 1) {
    // An earlier attempt must not continue in parallel. If it succeeded, we are done.
    const answer = await registrar.cancel(pushReference(transfer.id, former));
    if (answer === 'too_late') return { status: 'completed' };
  }
  const bringsOnly = transfer.deliveryMethod === 'partner_registrar';
  return registrar.push({ clientReference: referenceOf(push), domain, bringsOnly });
}

function referenceOf({ transfer }: OpenPush): string {
  return pushReference(transfer.id, transfer.attempts);
}

/** Polls a push that the registrar accepted, less and less often, until its final state. */
export const pollTransferHandler = handle(pollTransferJob, pollTransfer);

async function pollTransfer(context: JobContext, ticket: PushAttempt): Promise<Outcome> {
  const { runtime } = context;
  const transfer = await readTransfer(runtime, ticket.orderId);
  if (!transfer || !isCurrentPush(transfer, ticket.attempt)) return done();
  const registrar = runtime.registrars(transfer.environment);

  const proceeding = registrar.proceed(pushReference(transfer.id, ticket.attempt));
  const asked = await answerOf(context, proceeding, (uow) => recordUnreachable(uow, ticket));
  if ('silence' in asked) return asked.silence;
  const state = asked.answer;
  const nextPoll = () => snooze(nextPollAt(runtime, transfer.updatedAt));
  if (isUnchanged(transfer, state)) return nextPoll();

  const progress = await runtime.db.transact(async (uow): Promise<PushProgress> => {
    const recorded = await recordPushState(uow, runtime, ticket, state);
    if (recorded !== 'open') uow.jobs.finish(context.job);
    return recorded;
  });
  return progress === 'open' ? nextPoll() : done();
}

/** How often a delivery checks whether the legal hold on its domain was lifted. */
const LEGAL_HOLD_CHECK_MS = 10 * MINUTE;

/** Confirms a delivery that the registrar reported as done, under the automatic policy. */
export const confirmDeliveryHandler = handle(
  confirmDeliveryJob,
  async ({ runtime, job }, { orderId }) => {
    const found = await runtime.db.transact(async (uow) => {
      const found = await confirmDeliveryIfAwaited(uow, orderId);
      if (found === 'over') uow.jobs.finish(job);
      return found;
    });
    return found === 'over' ? done() : snooze(addMs(runtime.clock.now(), LEGAL_HOLD_CHECK_MS));
  },
);

/** Ends an unused claim. */
export const expireDeliveryHandler = handle(expireDeliveryJob, async ({ runtime, job }, ticket) => {
  await runtime.db.transact(async (uow) => {
    await expireClaim(uow, ticket);
    uow.jobs.finish(job);
  });
  return done();
});

/**
 * Watches a domain whose authorization code is out until another registrar has it or the code ends. A code that is no
 * longer usable, because its caller never got it, the order was refunded or staff delivered by hand, is revoked.
 */
export const watchDeliveryHandler = handle(watchDeliveryJob, watchDelivery);

async function watchDelivery(context: JobContext, ticket: DeliveryIssue): Promise<Outcome> {
  const { runtime, job } = context;
  const { clock } = runtime;
  const { orderId, issue } = ticket;
  // Taken before the reads: a code that is issued while this process stands still must not count as over.
  const lookedAt = clock.now();
  const [order, transfer, delivery] = await Promise.all([
    getOrderById(runtime, orderId),
    readTransfer(runtime, orderId),
    readDelivery(runtime, orderId),
  ]);
  if (!transfer || !delivery || delivery.issue !== issue) return done();
  if (transfer.cancellation !== null) return snooze(nextPollAt(runtime, delivery.since));
  const registrar = runtime.registrars(order.environment);
  const { domain, gainingRegistrar } = order;
  const isWanted = isCodeOut(delivery);
  const endsAt = isWanted ? delivery.expiresAt : addMs(delivery.issuedAt, UNSEEN_MS);
  const code = {
    domain,
    references: codeReferences(transfer.id, issue),
    since: delivery.createdAt,
    gainingRegistrar,
    isWanted,
    endsAt,
    isOver: endsAt !== null && endsAt <= lookedAt,
  };
  const asked = await answerOf(context, lookAfterCode(registrar, code), async () => {});
  if ('silence' in asked) {
    // As long as a code is out, the domain must be watched.
    return isFinalAttempt(context) ? snooze(addMs(clock.now(), HOUR)) : asked.silence;
  }
  const { found, requestedBy } = asked.answer;
  await runtime.db.transact(async (uow) => {
    if (found === 'fetched') await recordFetched(uow, ticket);
    if (found === 'approved') await recordApproved(uow, ticket, requestedBy);
    if (found === 'cleared') await recordCodeExpired(uow, ticket);
    if (found === 'fetched' || found === 'cleared') uow.jobs.finish(job);
  });
  if (found === 'fetched' || found === 'cleared') return done();
  const since = found === 'approved' ? clock.now() : delivery.since;
  return snooze(nextLookAt(runtime, { since, endsAt }));
}

/**
 * Asks the registrar to stop the push of an order that is to be refunded. The refund waits for the answer, and for a
 * staff decision if the domain has left or the registrar does not answer. A rerun continues if no decision was made.
 * After a refund that staff approved without an answer it still stops the push.
 */
export const stopPushHandler = handle(stopPushJob, stopPush);

async function stopPush(context: JobContext, ticket: PushAttempt): Promise<Outcome> {
  const { orderId } = ticket;
  const { runtime, job } = context;
  const [transfer, delivery, { domain }] = await Promise.all([
    readTransfer(runtime, orderId),
    readDelivery(runtime, orderId),
    getOrderById(runtime, orderId),
  ]);
  const isAwaited =
    transfer?.cancellation === 'requested' || transfer?.cancellation === 'unanswered';
  if (!transfer || !(isAwaited || transfer.status === 'cancelled')) return done();
  const registrar = runtime.registrars(transfer.environment);
  // A dead job that is retried may be older than the push that is open now.
  const attempt = Math.max(ticket.attempt, transfer.attempts);

  const stopped = delivery
    ? takeBack(registrar, {
        domain,
        references: codeReferences(transfer.id, delivery.issue),
        since: delivery.createdAt,
      })
    : stopAll(registrar, transfer.id, attempt);
  const asked = await answerOf(context, stopped, (uow) =>
    recordCancelPushResult(uow, orderId, 'unanswered'),
  );
  if ('silence' in asked) return asked.silence;
  const result = asked.answer;

  const hasLeftAfterAll = transfer.status === 'cancelled' && result === 'too_late';
  await runtime.db.transact(async (uow) => {
    const entry = {
      actor: 'worker',
      action: 'transfer:cancel-push',
      subject: orderId,
      after: { registrar: registrar.name, attempt, result },
    };
    await recordAudit(uow, entry);
    if (!hasLeftAfterAll) uow.jobs.finish(job);
    await recordCancelPushResult(uow, orderId, result);
  });
  if (!hasLeftAfterAll) return done();
  return giveUp('the registrar moved the domain of a refunded order; people must fetch it back');
}

/** Revokes the code of a domain, unless the domain was already transferred with it. */
async function takeBack(
  registrar: Registrar,
  code: Pick<CodeThatIsOut, 'domain' | 'references' | 'since'>,
): Promise<'cancelled' | 'too_late'> {
  const unwanted = { ...code, gainingRegistrar: null, isWanted: false, endsAt: null, isOver: true };
  const { found } = await lookAfterCode(registrar, unwanted);
  return found === 'cleared' ? 'cancelled' : 'too_late';
}

/** Stops the latest push first, so that it can't start once the previous one ends. */
async function stopAll(
  registrar: Registrar,
  transferId: string,
  attempt: number,
): Promise<'cancelled' | 'too_late'> {
  let result: 'cancelled' | 'too_late' = 'cancelled';
  for (let each = attempt; each >= 1; each -= 1) {
    const answer = await registrar.cancel(pushReference(transferId, each));
    if (answer === 'too_late') result = 'too_late';
  }
  return result;
}
