import { findUser } from '../owners/find-user.ts';
import type { Role } from '../owners/user.ts';
import type { Scope } from '../partners/credential.ts';
import { listPartners } from '../partners/list-partners.ts';
import { readCredentials, revealSecret } from '../partners/read-credentials.ts';
import type { Clock } from '../platform/clock.ts';
import type { Config, Environment } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import { fail } from '../platform/errors.ts';
import type { SecretBox } from '../platform/secrets.ts';
import { DEMO_USERS, demoPassword } from './demo-accounts.ts';

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

/** The usable key pairs and sign-ins of the demo marketplace. @throws forbidden in production */
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
