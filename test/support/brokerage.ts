import type { BrokerageCase } from '../../shared/brokerage/brokerage-case.ts';
import type { CaseStatus, CaseTier } from '../../shared/brokerage/case-states.ts';
import { moveCase } from '../../shared/brokerage/move-case.ts';
import { openCase } from '../../shared/brokerage/open-case.ts';
import type { Environment } from '../../shared/platform/config.ts';
import { randomBase62 } from '../../shared/platform/ids.ts';
import type { Runtime } from '../../shared/runtime.ts';

/** A domain that nobody lists and that the sandbox takes for registered. */
export const unlistedDomain = () => `wanted-${randomBase62(10).toLowerCase()}.com`;

/** An open case, self-serve with a budget of 5,000.00 USD unless said otherwise. */
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
    budgetCents: options.budgetCents ?? 500_000,
    currency: options.currency ?? 'USD',
  });
}

const WAY: readonly CaseStatus[] = ['CONTACTING_OWNER', 'NEGOTIATING', 'AGREED', 'COMPLETED'];

/** Moves a case as ops would, through everything before `to`; the deal is 4,500.00. */
export async function bringTo(
  runtime: Runtime,
  caseId: string,
  to: CaseStatus,
): Promise<BrokerageCase | undefined> {
  const steps = WAY.includes(to) ? WAY.slice(0, WAY.indexOf(to) + 1) : [to];
  let moved: BrokerageCase | undefined;
  for (const step of to === 'OPEN' ? [] : steps) {
    moved = await runtime.db.transact((tx) =>
      moveCase(tx, runtime, {
        caseId,
        to: step,
        by: 'ops',
        ...(step === 'COMPLETED' && { dealPriceCents: 450_000 }),
      }),
    );
  }
  return moved;
}
