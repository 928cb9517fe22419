import { addMs, DAY } from '../../shared/platform/clock.ts';
import { claimDomain } from '../../shared/sales/transfers/claim-domain.ts';
import { claimUrl } from '../../shared/sales/transfers/claim-link.ts';
import { insertDelivery } from '../../shared/sales/transfers/domain-delivery.store.ts';
import { givenAccount } from './accounts.ts';
import { eventually } from './eventually.ts';
import type { Runtime } from './runtime.ts';

/** Returns the token of the open claim link for an order's buyer; undefined if there is none. */
export async function openClaim(runtime: Runtime, orderId: string): Promise<string | undefined> {
  const [delivery] = await runtime.db
    .knex('deliveries')
    .where({ order_id: orderId, status: 'awaiting_claim', method: 'account' });
  if (!delivery) return undefined;
  const expiresAt = addMs(runtime.clock.now(), DAY);
  const url = await claimUrl(runtime, { orderId, issue: delivery.issue, expiresAt });
  return new URL(url).searchParams.get('t') ?? undefined;
}

/** Waits until the domain of an order can be claimed, and claims it into a new account. */
export async function takeDomain(runtime: Runtime, orderId: string): Promise<void> {
  const token = await eventually(() => openClaim(runtime, orderId), Boolean, { everyMs: 50 });
  const { id: userId, email } = await givenAccount(runtime, 'owner');
  await claimDomain(runtime, token ?? '', { userId, email });
}

/** Returns the path of a claim link for an order whose domain has not been moved. */
export async function givenClaimLink(runtime: Runtime, orderId: string): Promise<string> {
  const now = runtime.clock.now();
  const expiresAt = addMs(now, DAY);
  await insertDelivery.run(runtime.db.knex, { orderId, method: 'account', now, expiresAt });
  const { pathname, search } = new URL(await claimUrl(runtime, { orderId, issue: 1, expiresAt }));
  return pathname + search;
}
