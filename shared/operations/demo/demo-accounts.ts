import { createHmac } from 'node:crypto';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { SCOPES, type Scope } from '../../people/partners/credential.ts';
import { createCredential } from '../../people/partners/credential-lifecycle.ts';
import type { SettlementPeriod } from '../../people/partners/partner.ts';
import { createPartner, suspendPartner } from '../../people/partners/partner-lifecycle.ts';
import { readCredentials, revealSecret } from '../../people/partners/read-credentials.ts';
import { listPartners } from '../../people/partners/read-partners.ts';
import { disableUser } from '../../people/user-accounts/user-access.ts';
import type { Role } from '../../people/users/user.ts';
import { createUser, findUser } from '../../people/users/user-account.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Config, Environment } from '../../platform/config/config.ts';
import { deriveKey, type SecretBox } from '../../platform/crypto/secrets.ts';
import { fail } from '../../platform/errors.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { Redis } from '../../platform/redis/redis.ts';
import { selectActiveDemoAccounts } from './demo-accounts.store.ts';

export interface DemoPartner {
  name: string;
  commissionBps: number;
  settlementPeriod: SettlementPeriod;
  affiliate: boolean;
}

/** The partners of the demo marketplace; each gets a SANDBOX and a LIVE key pair with all scopes. */
export const DEMO_PARTNERS: readonly DemoPartner[] = [
  {
    name: 'Example Registrar One',
    commissionBps: 1_500,
    settlementPeriod: 'monthly',
    affiliate: true,
  },
  {
    name: 'Example Registrar Two',
    commissionBps: 2_000,
    settlementPeriod: 'semi_monthly',
    affiliate: false,
  },
  {
    name: 'Larkspur',
    commissionBps: 1_000,
    settlementPeriod: 'weekly',
    affiliate: true,
  },
];

/** The demo user who owns domains, see seed-demo-domains.ts. */
export const DEMO_OWNER = 'owner@marketplace.example';

const DEMO_USERS: readonly { email: string; role: Role }[] = [
  { email: 'ops@marketplace.example', role: 'ops' },
  { email: DEMO_OWNER, role: 'owner' },
];

const PASSWORD_CHARACTERS = 20;

/** Derives the password of a demo account from SECRETS_KEY, so that it is unpredictable and not stored anywhere. */
function demoPassword(secretsKey: Buffer, email: string): string {
  return createHmac('sha256', deriveKey(secretsKey, 'demo-passwords'))
    .update(email)
    .digest('base64url')
    .slice(0, PASSWORD_CHARACTERS);
}

interface Deps {
  config: Config;
  db: Database;
  clock: Clock;
  secrets: SecretBox;
}

const ACTOR = 'seed';
const ENVIRONMENTS: readonly Environment[] = ['SANDBOX', 'LIVE'];

/** Creates missing demo partners, key pairs and users; returns whether any were missing. */
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

/** Creates one key pair per environment; does not replace a revoked one. */
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

export interface DemoCredential {
  partnerId: string;
  partnerName: string;
  environment: Environment;
  keyId: string;
  secret: string;
  scopes: readonly Scope[];
}

export interface DemoUser {
  email: string;
  password: string;
  role: Role;
}

/** Returns the usable key pairs and sign-ins of the demo marketplace. @throws forbidden in production */
export async function listDemoAccounts(deps: {
  config: Config;
  db: Database;
  clock: Clock;
  secrets: SecretBox;
}): Promise<{ credentials: DemoCredential[]; users: DemoUser[] }> {
  if (deps.config.nodeEnv === 'production') {
    throw fail('forbidden', { message: 'Demo accounts are for development; this is production.' });
  }
  const partners = (await listPartners(deps)).filter((partner) => partner.demo);
  const credentials: DemoCredential[] = [];
  for (const { id: partnerId, name: partnerName } of partners) {
    for (const credential of await readCredentials(deps, partnerId)) {
      if (credential.status !== 'active' || credential.expiresAt) continue;
      const { keyId, environment, scopes } = credential;
      const secret = revealSecret(deps, credential);
      credentials.push({ partnerId, partnerName, environment, keyId, secret, scopes });
    }
  }
  const users: DemoUser[] = [];
  for (const { email } of DEMO_USERS) {
    const user = await findUser(deps, email);
    if (!user) continue;
    const password = demoPassword(deps.config.secretsKey, email);
    users.push({ email: user.email, password, role: user.role });
  }
  return { credentials, users };
}

/**
 * Fails in production if the database has demo accounts that are not disabled. Their requests are rejected anyway; this
 * reports the problem before somebody relies on the database.
 * @throws Error that names the command to run
 */
export async function assertNoDemoAccounts({
  config,
  db,
  log,
}: {
  config: Config;
  db: Database;
  log: Logger;
}): Promise<void> {
  if (config.nodeEnv !== 'production') return;
  const found = await selectActiveDemoAccounts.one(db.knex).catch((error: unknown) => {
    // Without Postgres, or with an outdated schema, a process still starts but is not ready.
    log.warn({ err: error }, 'demo accounts were not looked for');
    return { partners: [], users: [] };
  });
  const { partners, users } = found;
  if (partners.length + users.length === 0) return;
  throw new Error(
    `This database has demo accounts (partners: ${partners.length}, users: ${users.length}), which are not for production. Disable them, then start again: npm run --silent ops -- demo:disable`,
  );
}

/** Suspends the demo partners and disables the demo users; returns how many there were. */
export async function disableDemoAccounts(
  deps: { db: Database; clock: Clock; redis: Redis; config: Config },
  actor: string,
): Promise<{ partners: number; users: number }> {
  const { partners, users } = await selectActiveDemoAccounts.one(deps.db.knex);
  for (const id of partners) await suspendPartner(deps, actor, id);
  for (const id of users) await disableUser(deps, actor, id);
  return { partners: partners.length, users: users.length };
}
