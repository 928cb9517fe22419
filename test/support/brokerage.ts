import type { Environment } from '../../shared/platform/config/config.ts';
import { newId, randomBase62 } from '../../shared/platform/ids.ts';
import { Money } from '../../shared/platform/money.ts';
import type {
  BrokerageCase,
  CaseStatus,
  CaseTier,
} from '../../shared/sales/brokerage/brokerage-case.ts';
import { moveCase, openCase } from '../../shared/sales/brokerage/case-lifecycle.ts';
import type { Runtime } from './runtime.ts';

/** Returns a domain that nobody lists and that the sandbox treats as registered. */
export const unlistedDomain = () => `wanted-${randomBase62(10).toLowerCase()}.com`;

/** Opens a case; by default self-serve, with a budget of 5,000.00 USD. */
export function givenCase(
  runtime: Runtime,
  owner: { partnerId: string; environment: Environment },
  options: { tier?: CaseTier; domain?: string; budgetCents?: number; currency?: string } = {},
): Promise<BrokerageCase> {
  const caller = { ...owner, keyId: 'test', commissionBps: 1_500 };
  return openCase(runtime, caller, {
    domain: options.domain ?? unlistedDomain(),
    tier: options.tier ?? 'self_serve',
    buyerEmail: 'buyer@example.com',
    budget: new Money(options.budgetCents ?? 500_000, options.currency ?? 'USD'),
  });
}

const WAY: readonly CaseStatus[] = ['CONTACTING_OWNER', 'NEGOTIATING', 'AGREED', 'COMPLETED'];

/** Moves a case as operators would, through every status before `to`; the deal is 4,500.00. */
export async function bringTo(
  runtime: Runtime,
  caseId: string,
  to: CaseStatus,
): Promise<BrokerageCase | undefined> {
  const steps = WAY.includes(to) ? WAY.slice(0, WAY.indexOf(to) + 1) : [to];
  let moved: BrokerageCase | undefined;
  for (const step of to === 'OPEN' ? [] : steps) {
    moved = await runtime.db.transact((uow) =>
      moveCase(uow, runtime, {
        caseId,
        to: step,
        by: 'ops',
        ...(step === 'COMPLETED' && { dealPriceCents: 450_000 }),
      }),
    );
  }
  return moved;
}

/** Moves a case to a domain that was sold just after the case was found eligible. */
export async function moveToDomain(runtime: Runtime, id: string, domain: string): Promise<void> {
  await runtime.db.knex('brokerage_cases').where({ id }).update({ domain });
}

/** Creates a case of either environment whose price is agreed. */
export async function givenAgreedCase(
  runtime: Runtime,
  owner: { partnerId: string; environment: Environment },
  currency: string,
): Promise<{ id: string }> {
  const now = runtime.clock.now();
  const id = newId('brokerageCase', now);
  await runtime.db.knex('brokerage_cases').insert({
    id,
    partner_id: owner.partnerId,
    environment: owner.environment,
    domain: unlistedDomain(),
    tier: 'managed',
    status: 'AGREED',
    buyer_email: 'buyer@example.com',
    budget_cents: 500_000,
    currency,
    created_at: now,
    updated_at: now,
  });
  return { id };
}
