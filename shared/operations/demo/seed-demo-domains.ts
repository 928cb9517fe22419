import { grantDomains } from '../../domains/domain-grants/grant-domains.ts';
import { countOwnedDomains } from '../../domains/owned-domains/manage-owned-domains.ts';
import type { Registrars } from '../../domains/registrar/registrar.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { findUser } from '../../people/users/user-account.ts';
import type { Clock } from '../../platform/clock.ts';
import { DEMO_OWNER } from './demo-accounts.ts';

/** The demo owner's domains; none is on the market. */
const DOMAINS: readonly string[] = [
  'lanternharbor.com',
  'lanternharbor.net',
  'quietfjord.com',
  'quietfjord.io',
  'copperkettle.shop',
  'saltandlinen.com',
  'northwindcycles.com',
  'paperorchard.org',
  'tidepoolstudio.com',
  'emberandoak.co',
  'gläserwerk.de',
  'smallhoursradio.fm',
];

/** Gives the demo owner domains unless they have some; returns whether it did. */
export async function seedDemoDomains(runtime: {
  db: Database;
  clock: Clock;
  registrars: Registrars;
}): Promise<boolean> {
  const owner = await findUser(runtime, DEMO_OWNER);
  if (!owner) return false;
  if ((await countOwnedDomains(runtime, owner.id)).total > 0) return false;
  await grantDomains(runtime, 'seed', { email: owner.email, domains: DOMAINS });
  return true;
}
