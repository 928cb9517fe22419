import { recordAudit } from '../audit/record-audit.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db.ts';
import { invalid } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { insertPartner } from './partner.store.ts';
import { DEFAULT_COMMISSION_BPS, type Partner, type SettlementPeriod } from './partner.ts';

export interface NewPartner {
  name: string;
  /** Its share of a sale in basis points, 0 to 10,000. */
  commissionBps?: number | undefined;
  settlementPeriod?: SettlementPeriod | undefined;
  /** Links it to an affiliate account of its own. */
  affiliate?: boolean | undefined;
  /** Of the demo marketplace. */
  demo?: boolean | undefined;
}

/** Opens an active partner account; it has no credentials yet. @throws validation_error */
export async function createPartner(
  { db, clock }: { db: Database; clock: Clock },
  actor: string,
  input: NewPartner,
): Promise<Partner> {
  const now = clock.now();
  const name = input.name.trim();
  if (name === '') throw invalid([{ path: '/name', message: 'must not be empty' }]);
  const partner: Partner = {
    id: newId('partner', now),
    name,
    status: 'active',
    commissionBps: input.commissionBps ?? DEFAULT_COMMISSION_BPS,
    settlementPeriod: input.settlementPeriod ?? 'monthly',
    affiliateId: input.affiliate ? newId('affiliate', now) : null,
    createdAt: now,
    demo: input.demo ?? false,
  };
  await db.transact(async (tx) => {
    await insertPartner(tx, partner);
    const { id: subject, createdAt: _at, demo: _demo, ...after } = partner;
    await recordAudit(tx, { actor, action: 'partner:create', subject, after }, now);
  });
  return partner;
}
