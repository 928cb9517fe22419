import type { Config } from '../../platform/config/config.ts';
import { isOpenOrder, type Order, type TimelineEntry } from '../orders/order.ts';
import { actionOfNewOrder } from '../orders/order-registrant.ts';
import type { DeliverySummary, TransferSummary } from '../orders/read-orders.ts';
import { isHandedOver, type ShownDeliveryStatus } from './domain-delivery.ts';

/** Who reads about a delivery. */
export type DeliveryReader = 'buyer' | 'partner' | 'staff';

/** The steps from a sale to a delivered domain, in order. */
const STEP_TITLES = {
  paid: 'Paid',
  review: 'Review',
  registrant: 'Registrant',
  transfer: 'Transfer',
  claim: 'Claim',
  code: 'Authorization code',
  fetch: 'Transfer to the new registrar',
  delivered: 'Delivered',
} as const;

type StepName = keyof typeof STEP_TITLES;

/** A delivery step as its reader sees it. */
export interface DeliveryStep {
  name: StepName;
  title: string;
  state: 'done' | 'now' | 'later' | 'stopped';
  /** When the step was done, if known. */
  at: Date | null;
  /** Whose turn it is and what to do; null except for the current step. */
  turn: DeliveryReader | 'registry' | null;
  text: string | null;
}

interface Situation {
  step: StepName;
  turn: DeliveryReader | 'registry';
  buyer: string;
  partner: string;
  /** Defaults to the partner's text. */
  staff?: string;
}

/** The situations an order can be in between its sale and its delivery. */
const SITUATIONS = {
  review: {
    step: 'review',
    turn: 'staff',
    buyer: 'We are reviewing your order before the transfer starts. You don’t need to do anything.',
    partner: 'Our staff is reviewing the order before its transfer starts.',
    staff: 'Approve the order, or refund it.',
  },
  awaiting_registrant: {
    step: 'registrant',
    turn: 'buyer',
    buyer: 'Tell us who the domain is registered for. Then the transfer starts.',
    partner:
      'We need the registrant’s details. The buyer can enter them on the page we emailed, or you can send them.',
    staff: 'The buyer or the partner has to provide the registrant.',
  },
  queued: {
    step: 'transfer',
    turn: 'staff',
    buyer: 'The transfer starts soon. You don’t need to do anything.',
    partner: 'The transfer starts soon.',
    staff: 'The transfer starts automatically, or you start it if staff start transfers.',
  },
  moving: {
    step: 'transfer',
    turn: 'registry',
    buyer:
      'The domain is on its way. Most transfers take minutes, some a few days. You don’t need to do anything.',
    partner: 'The domain is on its way.',
  },
  stuck: {
    step: 'transfer',
    turn: 'staff',
    buyer: 'The transfer is taking longer than usual. We are looking into it and will email you.',
    partner: 'The registrar needs something for the transfer. Our staff is taking care of it.',
    staff: 'Check the reason, then retry the transfer, confirm the delivery, or refund the order.',
  },
  confirming: {
    step: 'delivered',
    turn: 'staff',
    buyer: 'The transfer is complete. We are checking that the domain has arrived.',
    partner: 'The registrar has moved the domain; the delivery is being confirmed.',
    staff: 'Check that the domain has arrived, then confirm the delivery.',
  },
  awaiting_claim: {
    step: 'claim',
    turn: 'buyer',
    buyer:
      'Claim the domain into an account with us, using the link in our email. There you can manage, renew or move it.',
    partner: 'The buyer claims the domain with the link that we emailed.',
  },
  claim_expired: {
    step: 'claim',
    turn: 'staff',
    buyer: 'The link to claim the domain has expired. Ask the seller of the domain for a new one.',
    partner: 'Our staff decide: a new claim link, or a refund.',
    staff: 'Send a new claim link, or refund the order.',
  },
  awaiting_code: {
    step: 'code',
    turn: 'partner',
    buyer: 'Your new registrar will request the domain next. You don’t need to do anything.',
    partner: 'Request the authorization code and give it to your registrar.',
    staff: 'The partner requests the authorization code.',
  },
  code_expired: {
    step: 'code',
    turn: 'partner',
    buyer: 'The new registrar has to request your domain again.',
    partner: 'Request a new authorization code.',
    staff: 'The code has expired. The partner requests a new one.',
  },
  code_issued: {
    step: 'fetch',
    turn: 'partner',
    buyer: 'Your new registrar is requesting the domain from the registry.',
    partner: 'Your registrar requests the domain from the registry with the code.',
    staff: 'The partner’s registrar requests the domain from the registry with the code.',
  },
  pending_transfer: {
    step: 'fetch',
    turn: 'registry',
    buyer: 'The registry is transferring the domain.',
    partner: 'The registry is transferring the domain.',
  },
} as const satisfies Record<string, Situation>;

type SituationName = keyof typeof SITUATIONS;

/** The situation of a delivery that we make; null before it begins and after it ends. */
function situationOfDelivery({
  method,
  status,
}: Pick<DeliverySummary, 'method' | 'status'>): SituationName | null {
  const isClaim = method === 'account';
  switch (status as ShownDeliveryStatus | null) {
    case 'awaiting_claim':
      return isClaim ? 'awaiting_claim' : 'awaiting_code';
    case 'expired':
      return isClaim ? 'claim_expired' : 'code_expired';
    case 'awaiting_registrant':
    case 'code_issued':
    case 'pending_transfer':
      return status as SituationName;
    default:
      return null;
  }
}

/** Returns what happens next in a delivery that we make, worded for the partner; null if nothing does. */
export function nextStepOf(delivery: Pick<DeliverySummary, 'method' | 'status'>): string | null {
  const situation = situationOfDelivery(delivery);
  return situation && SITUATIONS[situation].partner;
}

/** The data that determine the steps. */
interface Standing {
  order: Order;
  timeline: readonly TimelineEntry[];
  transfer: Pick<TransferSummary, 'status'> | null;
  delivery: DeliverySummary;
}

/** The situation of an order; null once it is delivered or refunded. */
function situationOf({ order, transfer, delivery }: Standing): SituationName | null {
  if (!isOpenOrder(order.status)) return null;
  if (order.status === 'MANUAL_REVIEW') return 'review';
  if (order.actionRequired !== null) return 'awaiting_registrant';
  const ours = situationOfDelivery(delivery);
  if (ours !== null) return ours;
  switch (transfer?.status) {
    case undefined:
      return 'queued';
    case 'awaiting_confirmation':
      return 'confirming';
    case 'action_required':
    case 'failed':
      return 'stuck';
    default:
      return 'moving';
  }
}

/** Returns every step from the sale to the delivered domain. All readers see the same steps, worded for each. */
export function deliverySteps(
  config: Pick<Config, 'registrarLive'>,
  standing: Standing,
  reader: DeliveryReader,
): DeliveryStep[] {
  const { order, timeline, delivery } = standing;
  const situation = situationOf(standing);
  const now: Situation | null = situation && SITUATIONS[situation];
  const isDelivered = order.status === 'TRANSFER_COMPLETED' || order.status === 'SETTLED';
  const hasBegun = delivery.status !== null && delivery.status !== 'awaiting_registrant';
  const isOurs = hasBegun || isHandedOver(config, order, { deliveryMethod: delivery.method });
  const names = namesOf(order, delivery, isOurs);
  const present = now ? names.indexOf(now.step) : isDelivered ? names.length : 1;
  const timeOf = (...events: string[]) =>
    timeline.find(({ event }) => events.includes(event))?.at ?? null;
  const times: Partial<Record<StepName, Date | null>> = {
    paid: order.createdAt,
    review: timeOf('order.manual_review_cleared'),
    transfer: timeOf('transfer.released', 'order.delivery_ready', 'transfer.completed'),
    claim: order.transferCompletedAt,
    code: timeOf('order.delivery_ready'),
    fetch: timeOf('transfer.requested'),
    delivered: order.transferCompletedAt,
  };
  return names.map((name, at) => {
    const isNow = now !== null && at === present;
    const after = now || isDelivered ? 'later' : 'stopped';
    return {
      name,
      title: STEP_TITLES[name],
      state: isNow ? 'now' : at < present ? 'done' : after,
      at: at < present ? (times[name] ?? null) : null,
      turn: isNow ? now.turn : null,
      text: isNow ? (reader === 'staff' ? (now.staff ?? now.partner) : now[reader]) : null,
    };
  });
}

/** The steps that an order takes. */
function namesOf(order: Order, { method }: DeliverySummary, isOurs: boolean): StepName[] {
  const isReviewed = order.status === 'MANUAL_REVIEW' || order.reviewReasons.length > 0;
  const wish = { method, gainingRegistrar: order.gainingRegistrar };
  const needsRegistrant =
    order.actionRequired !== null || actionOfNewOrder({ ...order, delivery: wish }) !== null;
  const handsOver: StepName[] = method === 'account' ? ['claim'] : ['code', 'fetch'];
  return [
    'paid',
    ...(isReviewed ? (['review'] as const) : []),
    ...(needsRegistrant ? (['registrant'] as const) : []),
    'transfer',
    ...(isOurs ? handsOver : []),
    'delivered',
  ];
}
