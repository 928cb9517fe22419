import { SCOPES, type Scope } from '../../shared/people/partners/credential.ts';
import type { Environment } from '../../shared/platform/config/config.ts';
import { newId, randomBase62, randomBase64Url } from '../../shared/platform/ids.ts';
import type { Runtime } from './runtime.ts';
import type { KeyPair } from './signed-client.ts';

let counter = 0;
/** Returns a new number on every call, for names that must differ. */
export function unique(): number {
  counter += 1;
  return counter;
}

export interface PartnerFixture extends KeyPair {
  partnerId: string;
  environment: Environment;
}

/** Creates a partner with one credential; by default with all scopes, SANDBOX, 15 % commission. */
export async function givenPartner(
  runtime: Runtime,
  options: {
    environment?: Environment;
    scopes?: readonly Scope[];
    commissionBps?: number;
    settlementPeriod?: 'monthly' | 'semi_monthly' | 'weekly';
    affiliate?: boolean;
  } = {},
): Promise<PartnerFixture> {
  const now = runtime.clock.now();
  const partnerId = newId('partner', now);
  await runtime.db.knex('partners').insert({
    id: partnerId,
    name: `Example Registrar ${unique()}`,
    commission_bps: options.commissionBps ?? 1_500,
    settlement_period: options.settlementPeriod ?? 'monthly',
    affiliate_id: options.affiliate ? newId('affiliate', now) : null,
    created_at: now,
  });
  const credential = await givenCredential(runtime, partnerId, options);
  return { partnerId, ...credential };
}

/** Creates another credential of a partner. */
export async function givenCredential(
  runtime: Runtime,
  partnerId: string,
  options: { environment?: Environment; scopes?: readonly Scope[] } = {},
): Promise<KeyPair & { environment: Environment }> {
  const environment = options.environment ?? 'SANDBOX';
  const marker = environment === 'LIVE' ? 'live' : 'sandbox';
  const keyId = `pk_${marker}_${randomBase62(24)}`;
  const secret = `sk_${marker}_${randomBase64Url(32)}`;
  await runtime.db.knex('credentials').insert({
    key_id: keyId,
    partner_id: partnerId,
    environment,
    scopes: [...(options.scopes ?? SCOPES)],
    secret_ciphertext: runtime.secrets.seal(secret, keyId),
    created_at: runtime.clock.now(),
  });
  return { keyId, secret, environment };
}

/** Creates a listing, by default at 4,850.00 USD; returns its domain. */
export async function givenListing(
  runtime: Runtime,
  options: {
    domain?: string;
    environment?: Environment;
    priceCents?: number;
    floorPriceCents?: number | null;
    currency?: string;
    offersAccepted?: boolean;
    status?: 'listed' | 'sold' | 'delisted';
  } = {},
): Promise<{ id: number; domain: string; priceCents: number }> {
  const domain = options.domain ?? `listing${unique()}-${randomBase62(6).toLowerCase()}.com`;
  const [sld = '', ...tld] = domain.split('.');
  const now = runtime.clock.now();
  const priceCents = options.priceCents ?? 485_000;
  const [row] = await runtime.db
    .knex('listings')
    .insert({
      environment: options.environment ?? 'SANDBOX',
      domain,
      domain_unicode: domain,
      sld,
      tld: tld.join('.'),
      status: options.status ?? 'listed',
      price_cents: priceCents,
      floor_price_cents: options.floorPriceCents ?? null,
      offers_accepted: options.offersAccepted ?? false,
      currency: options.currency ?? 'USD',
      listed_at: now,
      updated_at: now,
    })
    .returning('id');
  return { id: row.id, domain, priceCents };
}
