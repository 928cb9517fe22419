import { createUser } from '../owners/create-user.ts';
import { findUser } from '../owners/find-user.ts';
import { createCredential } from '../partners/create-credential.ts';
import { createPartner } from '../partners/create-partner.ts';
import { SCOPES } from '../partners/credential.ts';
import { listPartners } from '../partners/list-partners.ts';
import { readCredentials } from '../partners/read-credentials.ts';
import type { Clock } from '../platform/clock.ts';
import type { Config, Environment } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import type { SecretBox } from '../platform/secrets.ts';
import { DEMO_PARTNERS, DEMO_USERS, demoPassword } from './demo-accounts.ts';

interface Deps {
  config: Config;
  db: Database;
  clock: Clock;
  secrets: SecretBox;
}

const ACTOR = 'seed';
const ENVIRONMENTS: readonly Environment[] = ['SANDBOX', 'LIVE'];

/** Makes what is missing of the demo partners, key pairs and users; says whether anything was. */
export async function seedDemoAccounts(deps: Deps): Promise<boolean> {
  const existing = await listPartners(deps);
  let changed = false;
  for (const demo of DEMO_PARTNERS) {
    const known = existing.find((partner) => partner.demo && partner.name === demo.name);
    const partner = known ?? (await createPartner(deps, ACTOR, { ...demo, demo: true }));
    changed = (await seedKeyPairs(deps, partner.id)) || !known || changed;
  }
  for (const { email, role } of DEMO_USERS) {
    if (await findUser(deps, email)) continue;
    const password = demoPassword(deps.config.secretsKey, email);
    await createUser(deps, ACTOR, { email, password, role, demo: true });
    changed = true;
  }
  return changed;
}

/** A pair per environment; one that was revoked since is not brought back. */
async function seedKeyPairs(deps: Deps, partnerId: string): Promise<boolean> {
  const credentials = await readCredentials(deps, partnerId);
  const missing = ENVIRONMENTS.filter(
    (environment) => !credentials.some((credential) => credential.environment === environment),
  );
  for (const environment of missing) {
    await createCredential(deps, ACTOR, { partnerId, environment, scopes: SCOPES });
  }
  return missing.length > 0;
}
