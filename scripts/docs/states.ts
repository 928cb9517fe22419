import { BULK_JOB_MOVES, type BulkJobMoveName } from '../../shared/domains/bulk/bulk-job.ts';
import { CASE_MOVES, type CaseMoveName } from '../../shared/sales/brokerage/brokerage-case.ts';
import {
  SESSION_MOVES,
  SESSION_STATUSES,
  type SessionStatus,
} from '../../shared/sales/checkout/checkout-session.ts';
import { ORDER_MOVES, type OrderMoveName } from '../../shared/sales/orders/order.ts';
import { RENEWAL_MOVES } from '../../shared/sales/renewals/renewal.ts';
import {
  DELIVERY_MOVES,
  type DeliveryMoveName,
} from '../../shared/sales/transfers/domain-delivery.ts';
import { TRANSFER_MOVES, type TransferMoveName } from '../../shared/sales/transfers/transfer.ts';
import { code, codes, table } from './markdown.ts';

interface Move {
  from: readonly string[];
  to: string;
  event: string | null;
}

const ORDERS: Record<OrderMoveName, string> = {
  clear: 'operators',
  clear_paid: 'operators, or the provider’s review of the payment',
  hold: 'screening, when a sanctions list changes; a dispute of the payment',
  start_transfer: 'operators, or the automatic policy',
  confirm_delivery: 'operators, or the automatic policy; the settlement delay starts',
  settle: 'the settlement run',
  refund: '`POST /refunds`, operators',
  cancel: 'operators (fraud, mistake)',
  claw_back: 'operators only',
};

const TRANSFERS: Record<TransferMoveName, string> = {
  begin: 'the worker, before it asks the registrar',
  use_auth_code: 'the registrar',
  await_registry: 'the registrar',
  require_action:
    'the registrar; `registrar_unreachable`; a `legal_hold`; or operators who declined a held refund (`refund_declined`, the only one from `queued`)',
  await_confirmation: 'the registrar; from `queued` when an earlier push had already succeeded',
  fail: 'the registrar; the order stays `TRANSFER_IN_PROGRESS`',
  complete: 'whoever confirms delivery, just before `order.transfer_completed`',
  retry: 'operators',
  cancel: 'a refund or cancellation of the order',
};

const DELIVERIES: Record<DeliveryMoveName, string> = {
  issue_code: '`POST /orders/{public_id}/auth-code`; a code of before ends',
  approve_transfer: 'us, when a registrar asks for the domain with the code',
  expire: 'the end of the claim link (90 days) or of the code (14 days)',
  reopen: 'operators, who send the buyer a new claim link',
  deliver: 'the buyer who claims, the registry’s word, or operators',
  withdraw: 'a refund or cancellation of the order',
};

const CASES: Record<CaseMoveName, string> = {
  contact_owner: 'operators',
  negotiate: 'operators, again with each new offer',
  agree: 'operators, or the buyer who accepts',
  complete: 'operators, with the price, or the payment; `order.recorded` comes just before',
  close_no_deal: 'operators',
  cancel: 'operators; the buyer of a `self_serve` case until a price is agreed',
};

const BULK_JOBS: Record<BulkJobMoveName, string> = {
  start: 'the worker that takes the first chunk',
  complete: 'the last result, when all succeeded',
  complete_with_errors: 'the last result, when at least one failed',
  cancel: 'the owner',
};

const SESSIONS: Record<SessionStatus, string> = {
  open: 'Can be paid.',
  paid: 'Paid; there is exactly one order.',
  failed:
    'The payment arrived after the domain was gone. It is refunded automatically, and the buyer gets an email.',
  cancelled: 'The buyer gave up, a review declined it, or its brokerage case ended.',
  expired: 'Its time is over.',
};

/** The tables and diagrams in docs/states.md. */
export const stateBlocks = {
  'order moves': () =>
    tableAndDrawing(ORDER_MOVES, ORDERS, ['EXTERNALLY_PAID', 'MANUAL_REVIEW', 'PAID']),
  'transfer moves': () => moveTable(TRANSFER_MOVES, TRANSFERS),
  'delivery moves': () => moveTable(DELIVERY_MOVES, DELIVERIES),
  'case moves': () => moveTable(CASE_MOVES, CASES),
  'bulk job moves': () => moveTable(BULK_JOB_MOVES, BULK_JOBS),
};

/** The tables in docs/checkout.md. */
export const sessionBlocks = {
  'session statuses': () =>
    table(
      ['Status', 'Meaning'],
      SESSION_STATUSES.map((status) => [code(status), SESSIONS[status]]),
    ),
  'session moves': () =>
    table(
      ['Move', 'From', 'To'],
      Object.entries(SESSION_MOVES).map(([name, { from, to }]) => [
        code(name),
        codes(from),
        code(to),
      ]),
    ),
};

/** The generated blocks in docs/payments.md. */
export const paymentBlocks = {
  'renewal moves': () =>
    table(
      ['Move', 'From', 'To'],
      Object.entries(RENEWAL_MOVES).map(([name, { from, to }]) => [
        code(name),
        codes(from),
        code(to),
      ]),
    ),
};

function tableAndDrawing<Name extends string>(
  moves: Record<Name, Move>,
  madeBy: Record<Name, string>,
  initial: readonly string[],
): string {
  return [
    moveTable(moves, madeBy),
    '',
    '```mermaid',
    'stateDiagram-v2',
    ...arrowsOf(moves, initial).map((arrow) => `    ${arrow}`),
    '```',
  ].join('\n');
}

function moveTable<Name extends string>(
  moves: Record<Name, Move>,
  madeBy: Record<Name, string>,
): string {
  const names = Object.keys(moves) as Name[];
  const rows = names.map((name) => {
    const { from, to, event } = moves[name];
    return [code(name), codes(from), code(to), event ? code(event) : 'none', madeBy[name]];
  });
  return table(['Move', 'From', 'To', 'Event', 'Made by'], rows);
}

/** Returns the arrows of a state diagram. A status that no move leaves is a final one. */
function arrowsOf(moves: Record<string, Move>, initial: readonly string[]): string[] {
  const all = Object.entries(moves);
  const left = new Set(all.flatMap(([, { from }]) => from));
  const ends = new Set(all.map(([, { to }]) => to).filter((status) => !left.has(status)));
  return [
    ...initial.map((status) => `[*] --> ${status}`),
    ...all.flatMap(([name, { from, to }]) => from.map((each) => `${each} --> ${to}: ${name}`)),
    ...[...ends].map((status) => `${status} --> [*]`),
  ];
}
