import { requestImport } from '../../shared/market/inventory/import-run.ts';
import { createEndpoint } from '../../shared/messaging/webhooks/manage-endpoint.ts';
import { startReplay } from '../../shared/messaging/webhooks/replay.ts';
import { addMs, dayOf, HOUR } from '../../shared/platform/clock.ts';
import { newId } from '../../shared/platform/ids.ts';
import { createSession } from '../../shared/sales/checkout/checkout-lifecycle.ts';
import { makeOffer } from '../../shared/sales/offers/offer-lifecycle.ts';
import { approveOrder } from '../../shared/sales/orders/manual-review.ts';
import { createLink } from '../../shared/sales/referral/create-referral-link.ts';
import { refundOrder } from '../../shared/sales/refunds/refund-order.ts';
import { confirmDelivery } from '../../shared/sales/transfers/deliver-domain.ts';
import { startTransfer } from '../../shared/sales/transfers/start-transfer.ts';
import { closePartnerPeriods } from '../../shared/settlement/statements/close-statement.ts';
import { startTestApp } from './app.ts';
import { bringTo, givenCase } from './brokerage.ts';
import { givenBulkJob, givenOwnerOf } from './bulk.ts';
import { givenVisitor } from './console.ts';
import { givenListing } from './factories.ts';
import { givenOrder } from './orders.ts';
import type { TestRuntime } from './runtime.ts';
import { givenSale } from './transfers.ts';
import { givenEndpoint } from './webhooks.ts';

/** The settings that {@link givenConsoleMarket} needs: `hold-` domains go to review, and pushes wait for staff. */
export const CONSOLE_ENV = {
  TRANSFER_POLICY_SANDBOX: 'manual',
  REVIEW_PRICE_CENTS: '0',
  MAIL: 'on',
};

/** Starts the app of such a market with an admin signed in to its console; names in it are `name`, where possible. */
export async function startConsoleScene(name?: string) {
  const app = await startTestApp(CONSOLE_ENV);
  const ops = await givenVisitor(app);
  const url = 'http://127.0.0.1:40999/hook?a=<b>';
  const market = await givenConsoleMarket(app.runtime, { url, ...(name && { name }) });
  return { app, ops, market };
}

/** A partner with something in every work queue. */
export interface ConsoleMarket {
  ownerId: string;
  bulkJobId: string;
  importId: number;
  partnerId: string;
  partnerName: string;
  keyId: string;
  held: string;
  toPush: string;
  failed: string;
  stuck: string;
  underWay: string;
  delivered: string;
  refunded: string;
  caseId: string;
  offerId: string;
  settlementId: string;
  payoutId: string;
  endpointId: string;
  /** The second endpoint, with custom settings and a replay. */
  secondEndpointId: string;
  replayId: string;
  deliveryId: string;
  mailId: string;
  checkoutSessionId: string;
  /** A referral link with clicks. */
  linkId: string;
  /** A request with an invalid signature, in the partner's request log. */
  requestId: string;
}

/** Builds the market at the clock's time and shortly before; the partner's endpoint is at `url` and fails. */
export async function givenConsoleMarket(
  runtime: TestRuntime,
  options: { url: string; name?: string },
): Promise<ConsoleMarket> {
  const { knex } = runtime.db;
  const partnerName = options.name ?? 'Northwind Domains';
  const endpoint = await givenEndpoint(runtime, options.url);
  const { partnerId, environment } = endpoint;
  await knex('partners').where({ id: partnerId }).update({ name: partnerName });
  const second = await createEndpoint(runtime, endpoint, {
    name: 'fulfilment',
    url: `${options.url}/fulfilment`,
    eventTypes: ['order.*', 'transfer.completed'],
    payload: 'thin',
    ordering: 'per_subject',
    maxPerSecond: 50,
    headers: { 'X-Tenant': 'northwind' },
  });
  const caller = { partnerId, environment, keyId: endpoint.keyId, commissionBps: 1_500 };

  const sale = async (domain: string) => (await givenSale(runtime, { domain, caller })).order.id;
  const commit = (work: Parameters<typeof runtime.db.transact>[0]) => runtime.db.transact(work);
  const start = async (domain: string, status?: string, reason?: string) => {
    const id = await sale(domain);
    await commit((uow) => startTransfer(uow, id));
    if (status) {
      await knex('transfers').where({ order_id: id }).update({ status, reason, attempts: 1 });
    }
    return id;
  };

  const held = await sale('hold-oakbridge.com');
  const toPush = await sale('riverlantern.com');
  const failed = await start('copperfield-estates.net', 'failed', 'registrar_rejected');
  const stuck = await start('silverpine.io', 'action_required', 'registrar_unreachable');
  const underWay = await start('morningharbor.com');
  await start('bluecanyon.org', 'awaiting_confirmation');
  const delivered = await start('quietmeadow.com', 'awaiting_confirmation');
  await commit((uow) => confirmDelivery(uow, delivered));
  const refunded = await sale('hold-wildorchard.com');
  await commit((uow) => approveOrder(uow, runtime, refunded));
  await commit((uow) =>
    refundOrder(uow, {
      orderId: refunded,
      kind: 'by_state',
      reason: 'requested_by_customer',
      note: 'The buyer changed their mind.',
      requestedBy: 'test',
    }),
  );

  const opened = await givenCase(runtime, caller, { domain: 'wanted-harvestmoon.com' });
  await bringTo(runtime, opened.id, 'NEGOTIATING');

  const { domain: wanted } = await givenListing(runtime, {
    domain: 'slowferry.com',
    offersAccepted: true,
  });
  const offer = await makeOffer(runtime, caller, {
    domain: wanted,
    amountCents: 300_000,
    buyer: { email: 'buyer@example.com', name: null, country: null },
  });

  const lastMonth = addMs(runtime.clock.now(), -40 * 24 * HOUR);
  const owner = { partnerId, environment };
  await givenOrder(runtime, owner, { deliveredAt: lastMonth, priceCents: 485_000 });
  await givenOrder(runtime, owner, {
    deliveredAt: lastMonth,
    priceCents: 129_900,
    paymentModel: 'hosted_checkout',
  });
  const [settlementId = ''] = await closePartnerPeriods(runtime, {
    ...owner,
    until: addMs(runtime.clock.now(), -20 * 24 * HOUR),
  });
  const payout = await knex('payouts').where({ partner_id: partnerId }).first('id');
  const event = await knex('events').where({ subject: held }).first('id');
  const delivery = await knex('webhook_deliveries')
    .where({ event_id: event.id, endpoint_id: endpoint.endpointId })
    .first('id');
  const replay = await startReplay(runtime, endpoint, second.endpoint.id, {
    from: addMs(runtime.clock.now(), -HOUR),
    to: addMs(runtime.clock.now(), HOUR),
    eventTypes: null,
  });
  const user = await givenOwnerOf(runtime, ['owned-by-somebody.com']);
  const bulkJob = await givenBulkJob(runtime, user, { op: 'lock', params: { enabled: true } });
  const mail = await runtime.db.knex('mails').orderBy('id').first('id');
  const content = 'domain,price_cents\nimported-one.com,120000\n';
  const importId = await requestImport(runtime, 'test', {
    environment,
    fileName: 'listings.csv',
    content,
  });
  const listing = await givenListing(runtime, { domain: 'amberfield.com' });
  const { session } = await createSession(runtime, caller, {
    domain: listing.domain,
    quote: null,
    returnUrl: 'https://northwind.example/thanks',
    cancelUrl: null,
    buyerEmail: 'buyer@example.com',
    clientReference: 'cart-17',
  });
  const affiliateId = newId('affiliate', runtime.clock.now());
  await knex('partners').where({ id: partnerId }).update({ affiliate_id: affiliateId });
  const link = await createLink(runtime, { ...caller, affiliateId }, { kind: 'generic' });
  await knex('referral_daily').insert({
    link_id: link.id,
    day: dayOf(runtime.clock.now()),
    partner_id: partnerId,
    environment,
    clicks: 40,
    unique_clicks: 31,
  });
  runtime.requestLog.note({
    keyId: endpoint.keyId,
    requestId: 'req_northwind',
    method: 'POST',
    path: '/api/partner/v1/orders',
    status: 401,
    errorCode: 'invalid_signature',
    elapsedMs: 3,
    canonicalString:
      'POST\n/api/partner/v1/orders\n\n1767225600\nnonce-1\n0f343b0931126a20f133d67c2b018a3b',
    createdAt: runtime.clock.now(),
    verified: false,
  });
  await runtime.requestLog.flush();
  const request = await knex('api_requests').where({ partner_id: partnerId }).first('id');
  return {
    requestId: request.id,
    checkoutSessionId: session.id,
    linkId: link.id,
    importId,
    ownerId: user.userId,
    bulkJobId: bulkJob.id,
    partnerId,
    partnerName,
    keyId: endpoint.keyId,
    held,
    toPush,
    failed,
    stuck,
    underWay,
    delivered,
    refunded,
    caseId: opened.id,
    offerId: offer.id,
    settlementId,
    payoutId: payout?.id ?? '',
    endpointId: endpoint.endpointId,
    secondEndpointId: second.endpoint.id,
    replayId: replay.id,
    deliveryId: delivery.id,
    mailId: mail.id,
  };
}

/** Fills in the parameters of an ops API or console path with objects of the market. */
export function filledPath(market: ConsoleMarket, path: string): string {
  return path
    .replace('/settlements/:id', `/settlements/${market.settlementId}`)
    .replace(':order', market.refunded)
    .replace(':case', market.caseId)
    .replace(':offer', market.offerId)
    .replace(':job', market.bulkJobId)
    .replace(':import', String(market.importId))
    .replace(':mail', market.mailId)
    .replace(':request', market.requestId)
    .replace(':session', market.checkoutSessionId)
    .replace(':link', market.linkId)
    .replace(':kind', 'receipt')
    .replace(':environment', 'SANDBOX')
    .replace(':partner', market.partnerId)
    .replace('/webhooks/:endpoint', `/webhooks/${market.secondEndpointId}`)
    .replace(':user', market.ownerId)
    .replace(/:\w+/g, 'x');
}

/** Returns an object of the market for each field with which forms name their subject. */
export function formSubjects(market: ConsoleMarket): Record<string, string> {
  return {
    order: market.held,
    delivery: market.deliveryId,
    endpoint: market.secondEndpointId,
    replay: market.replayId,
    case: market.caseId,
    offer: market.offerId,
    mail: market.mailId,
    payout: market.payoutId,
    id: market.payoutId,
    settlement: market.settlementId,
    partner: market.partnerId,
    user: market.ownerId,
    key_id: market.keyId,
    environment: 'SANDBOX',
    domain: 'hold-wildorchard.com',
  };
}
