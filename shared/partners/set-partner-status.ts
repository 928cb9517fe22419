import { recordAudit } from '../audit/record-audit.ts';
import type { Clock } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import { fail } from '../platform/errors.ts';
import type { Redis } from '../platform/redis.ts';
import { publishCredentialChange } from './credential-cache.ts';
import { lockPartner, updatePartnerStatus } from './partner.store.ts';
import type { Partner, PartnerStatus } from './partner.ts';

interface Deps {
  db: Database;
  clock: Clock;
  redis: Redis;
  config: Config;
}

/** Shuts a partner out: every request of its credentials answers `partner_not_active`. @throws not_found */
export function suspendPartner(deps: Deps, actor: string, partnerId: string): Promise<Partner> {
  return setStatus(deps, { actor, action: 'partner:suspend', partnerId, status: 'suspended' });
}

/** Lets a suspended partner in again. @throws not_found */
export function resumePartner(deps: Deps, actor: string, partnerId: string): Promise<Partner> {
  return setStatus(deps, { actor, action: 'partner:resume', partnerId, status: 'active' });
}

/** Doing it twice changes and records nothing the second time, but is announced again. */
async function setStatus(
  deps: Deps,
  change: { actor: string; action: string; partnerId: string; status: PartnerStatus },
): Promise<Partner> {
  const { actor, action, partnerId, status } = change;
  const partner = await deps.db.transact(async (tx) => {
    const found = await lockPartner(tx, partnerId);
    if (!found) throw fail('not_found', { message: `There is no partner ${partnerId}.` });
    if (found.status !== status) {
      await updatePartnerStatus(tx, partnerId, status);
      await recordAudit(
        tx,
        { actor, action, subject: partnerId, before: { status: found.status }, after: { status } },
        deps.clock.now(),
      );
    }
    return { ...found, status };
  });
  // The standing of a partner is part of each of its cached credentials.
  await publishCredentialChange(deps, '*');
  return partner;
}
