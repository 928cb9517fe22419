import type { Registrars } from '../../domains/registrar/registrar.ts';
import { parseMarketDomain } from '../../market/names/domain-name.ts';
import { listTransferPolicies } from '../../market/tlds/transfer-policies.ts';
import { transferPolicyOf } from '../../market/tlds/transfer-policy.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { addMs, DAY } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { conflict } from '../../platform/errors.ts';
import {
  buyerOf,
  ORDER_MOVES,
  type Order,
  type OrderOwner,
  type OrderStatus,
} from '../orders/order.ts';
import { getOrder } from '../orders/read-orders.ts';
import { hashOfCode } from './check-auth-code.ts';
import { watchDeliveryJob } from './domain-delivery.jobs.ts';
import { codeIssuedMail } from './domain-delivery.mails.ts';
import { selectDeliveryForUpdate, updateNextIssue } from './domain-delivery.store.ts';
import {
  codeReference,
  DELIVERY_MOVES,
  type Delivery,
  type DeliveryStatus,
} from './domain-delivery.ts';
import { moveDelivery } from './move-delivery.ts';
import { assertNoPendingRefund, lockOrderAndTransfer } from './move-transfer.ts';
import type { Transfer } from './transfer.ts';

interface Deps {
  db: Database;
  config: Config;
  registrars: Registrars;
}

/** A newly issued authorization code. It can be read only now. */
export interface IssuedCode {
  domain: string;
  authCode: string;
  expiresAt: Date;
}

/**
 * Issues a new authorization code of a sold domain for the partner's registrar (RFC 9154) and ends the previous one.
 * The issue is recorded before the call to the registry, so that a code that nobody received is revoked.
 * @throws not_found, conflict (invalid_state), and whatever the registrar throws when it does not answer
 */
export async function issueAuthCode(
  { db, config, registrars }: Deps,
  owner: OrderOwner,
  orderId: string,
): Promise<IssuedCode> {
  const { domain } = await getOrder({ db }, owner, orderId);
  const { transfer, issue } = await db.transact(async (uow) => {
    const found = await lockIssuable(uow, orderId);
    const next = await updateNextIssue.one(uow.sql, { orderId, now: uow.now });
    const runAt = addMs(uow.now, config.transferPollMs);
    uow.jobs.add(watchDeliveryJob, { orderId, issue: next.issue }, { runAt });
    return { ...found, ...next };
  });
  const clientReference = codeReference(transfer.id, issue);
  const registrar = registrars(owner.environment);
  const answer = await registrar.issueAuthCode({ clientReference, domain });
  if (answer.status === 'refused') throw conflict('invalid_state', answer.reason);
  const authCode = answer.code;
  const { tld } = parseMarketDomain(domain);
  const policies = await listTransferPolicies({ db });
  return db.transact(async (uow) => {
    const { order, delivery } = await lockIssuable(uow, orderId);
    if (delivery.issue !== issue) {
      throw conflict('invalid_state', 'Another request just got a code. Try again.');
    }
    const { authCodeDays } = transferPolicyOf(policies, tld, uow.realNow);
    const expiresAt = addMs(uow.now, authCodeDays * DAY);
    const codeHash = hashOfCode(authCode);
    await moveDelivery(uow, order, delivery, 'issue_code', { expiresAt, codeHash });
    // A code that only replaces another one is no news to the buyer.
    if (delivery.status !== 'code_issued') tellBuyer(uow, order, { issue, expiresAt });
    return { domain, authCode, expiresAt };
  });
}

function tellBuyer(
  uow: UnitOfWork,
  order: Order,
  { issue, expiresAt }: { issue: number; expiresAt: Date },
): void {
  const { id: orderId, domain, buyerName, gainingRegistrar: registrar } = order;
  const data = { orderId, issue, domain, buyerName, registrar, expiresAt: expiresAt.toISOString() };
  uow.mails.add(codeIssuedMail, { to: buyerOf(order), of: order, data });
}

/** Locks an order whose code may be issued, with its transfer and delivery. @throws conflict (invalid_state) */
async function lockIssuable(
  uow: UnitOfWork,
  orderId: string,
): Promise<{ order: Order; transfer: Transfer; delivery: Delivery }> {
  const { order, transfer } = await lockOrderAndTransfer(uow, orderId);
  assertNoPendingRefund(transfer);
  const delivery = await selectDeliveryForUpdate.first(uow.sql, { orderId });
  if (delivery?.method === 'account') {
    throw conflict(
      'invalid_state',
      'The buyer claims this domain into an account with us and requests the code there.',
    );
  }
  const from: readonly DeliveryStatus[] = DELIVERY_MOVES.issue_code.from;
  if (!transfer || !delivery || !from.includes(delivery.status)) {
    throw conflict('invalid_state', noCodeReason(order, delivery));
  }
  return { order, transfer, delivery };
}

const ON_ITS_WAY: readonly OrderStatus[] = [
  ...ORDER_MOVES.start_transfer.from,
  'MANUAL_REVIEW',
  'TRANSFER_IN_PROGRESS',
];

function noCodeReason({ status }: Order, delivery: Delivery | undefined): string {
  if (delivery) return `The order's delivery is ${delivery.status}, so there is no code to give.`;
  return ON_ITS_WAY.includes(status)
    ? `The order is ${status} and its domain is not free to go yet. Wait for the event transfer.released.`
    : `The order is ${status}, so there is no code to give.`;
}
