import { findListing } from '../../market/inventory/find-listing.ts';
import { parseMarketDomain } from '../../market/names/domain-name.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Caller } from '../../people/partners/credential.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { type FieldError, fail, invalid } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { Redis } from '../../platform/redis/redis.ts';
import { createClickBuffer } from './click-buffer.ts';
import { insertLink } from './referral-link.store.ts';
import { assertAffiliate, type LinkKind, newCode, type ReferralLink } from './referral-link.ts';

export interface NewLink {
  kind: LinkKind;
  domain?: string | undefined;
  product?: string | undefined;
  label?: string | undefined;
  subId?: string | undefined;
}

/**
 * Creates a tracked link and fixes its share of a sale.
 * @throws forbidden (no affiliate account), validation_error, not_found (a domain that was never listed here)
 */
export async function createLink(
  {
    db,
    redis,
    config,
    clock,
    log,
  }: { db: Database; redis: Redis; config: Config; clock: Clock; log: Logger },
  caller: Caller,
  input: NewLink,
): Promise<ReferralLink> {
  assertAffiliate(caller);
  assertFields(input);
  const domain = input.domain === undefined ? null : parseMarketDomain(input.domain).ascii;
  if (domain !== null && !(await findListing({ db, clock }, { ...caller, domain }))) {
    throw fail('not_found', {
      message: `${domain} was never listed here. Use the name of a listed domain.`,
    });
  }
  const now = clock.now();
  const draft = {
    id: newId('referralLink', now),
    partnerId: caller.partnerId,
    environment: caller.environment,
    kind: input.kind,
    domain,
    product: input.product ?? null,
    label: input.label ?? null,
    subId: input.subId ?? null,
    commissionBps: config.referralCommissionBps,
    createdAt: now,
  };
  const link = await db.transactFor(caller.partnerId, async (uow) => {
    for (;;) {
      const candidate = { ...draft, code: newCode() };
      if ((await insertLink.run(uow.sql, candidate)) === 1) return candidate;
    }
  });
  await createClickBuffer(redis, config)
    .putTargets([link])
    // The first click finds the link in Postgres.
    .catch((error: unknown) => log.warn({ err: error }, 'referral: a link is not in Redis yet'));
  return link;
}

/** Checks that a link names a domain or product if and only if it is of that kind. */
function assertFields(input: NewLink): void {
  const faults: FieldError[] = [];
  for (const field of ['domain', 'product'] as const) {
    if (input.kind === field && input[field] === undefined) {
      faults.push({ path: `/${field}`, message: `is required for the kind ${field}` });
    }
    if (input.kind !== field && input[field] !== undefined) {
      faults.push({ path: `/${field}`, message: `is only for the kind ${field}` });
    }
  }
  if (faults.length > 0) throw invalid(faults);
}
