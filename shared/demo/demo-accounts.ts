import { createHmac } from 'node:crypto';
import type { Role } from '../owners/user.ts';
import type { SettlementPeriod } from '../partners/partner.ts';
import { deriveKey } from '../platform/secrets.ts';

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

/** Has domains, see seed-demo-domains.ts. */
export const DEMO_OWNER = 'owner@marketplace.example';

export const DEMO_USERS: readonly { email: string; role: Role }[] = [
  { email: 'ops@marketplace.example', role: 'ops' },
  { email: DEMO_OWNER, role: 'owner' },
];

const PASSWORD_CHARACTERS = 20;

/** The password of a demo account: derived from SECRETS_KEY, so that it is random and nowhere stored. */
export function demoPassword(secretsKey: Buffer, email: string): string {
  return createHmac('sha256', deriveKey(secretsKey, 'demo-passwords'))
    .update(email)
    .digest('base64url')
    .slice(0, PASSWORD_CHARACTERS);
}
