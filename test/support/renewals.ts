import { createReadStream } from 'node:fs';
import type { DomainChange } from '../../shared/domains/registrar/registrar.ts';
import { importTlds } from '../../shared/market/tlds/import-tlds.ts';
import type { Card } from '../../shared/money/payments/payment-provider.ts';
import { openRenewal } from '../../shared/sales/renewals/open-renewal.ts';
import { payRenewal } from '../../shared/sales/renewals/pay-renewal.ts';
import type { Renewal, RenewalStatus } from '../../shared/sales/renewals/renewal.ts';
import type { Owner } from './bulk.ts';
import { eventually } from './eventually.ts';
import type { Runtime } from './runtime.ts';

/** Imports the price list that comes with the product. */
export async function givenPrices(runtime: Runtime): Promise<void> {
  await importTlds(runtime, { source: createReadStream('db/seeds/tlds.ndjson') });
}

/** Starts the purchase of a renewal of the owner's first domain, or of another, without its payment. */
export function givenRenewal(
  runtime: Runtime,
  owner: Owner,
  {
    domain = owner.domains[0] ?? '',
    kind = 'renewal',
    years = 1,
  }: { domain?: string; kind?: Renewal['kind']; years?: number } = {},
): Promise<Renewal> {
  return openRenewal(runtime, owner.userId, { domain, kind, years });
}

/** Pays as the owner does: with a card, or without one if the provider collects it. */
export function payForRenewal(
  runtime: Runtime,
  { id: renewalId, userId, price }: Renewal,
  card: Card | null,
  keepsCard = false,
) {
  return payRenewal(runtime, userId, {
    renewalId,
    shown: price,
    payer: { email: 'owner@example.com', name: 'A. Owner', country: 'DE' },
    card,
    keepsCard,
    returnUrl: 'https://market.example/done',
    cancelUrl: 'https://market.example/back',
  });
}

export interface RenewalRow {
  id: string;
  status: RenewalStatus;
  last_decline: string | null;
  refusal: string | null;
  payment_id: string | null;
  amount_cents: number;
}

export async function renewalNow(runtime: Runtime, { id }: { id: string }): Promise<RenewalRow> {
  const columns = ['id', 'status', 'last_decline', 'refusal', 'payment_id', 'amount_cents'];
  return runtime.db.knex('renewals').where({ id }).first(columns);
}

export function untilRenewalIs(
  runtime: Runtime,
  renewal: { id: string },
  status: RenewalStatus,
): Promise<RenewalRow> {
  return eventually(
    () => renewalNow(runtime, renewal),
    (row) => row.status === status,
  );
}

/** Returns the statuses of a renewal's payments, oldest first. */
export function paymentStatuses(runtime: Runtime, { id }: { id: string }): Promise<string[]> {
  return runtime.db.knex('payments').where({ renewal_id: id }).orderBy('attempt').pluck('status');
}

/** Returns the sandbox registrar's changes to a domain. */
export function changesOf(runtime: Runtime, domain: string): Promise<DomainChange[]> {
  return runtime.db
    .knex('sandbox_registrar_effects')
    .where({ domain })
    .orderBy('made_at')
    .pluck('change');
}

/** Stores a card that the sandbox charges without confirmation. */
export async function givenKeptCard({ db, clock }: Runtime, userId: string): Promise<void> {
  await db.knex('kept_cards').insert({
    user_id: userId,
    provider: 'sandbox',
    token: 'sandbox_card_succeeded',
    brand: 'visa',
    last4: '4242',
    exp_month: 12,
    exp_year: 2_040,
    kept_at: clock.now(),
  });
}
