import type { Caller } from '../partners/credential.ts';
import { conflict, fail } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import type { Money } from '../platform/money.ts';
import type { Runtime } from '../runtime.ts';
import type { BrokerageCase } from './brokerage-case.ts';
import { insertCase } from './case.store.ts';
import type { CaseTier } from './case-states.ts';
import {
  checkEligibility,
  type EligibilityScope,
  type IneligibleReason,
} from './check-eligibility.ts';

export interface CaseToOpen {
  /** A-labels. */
  domain: string;
  tier: CaseTier;
  buyerEmail: string;
  budget: Money;
}

/**
 * Opens a case for a buyer, after the same check that partners can ask for.
 * @throws conflict (open_case), not_eligible with every other reason in `details`
 */
export async function openCase(
  runtime: EligibilityScope & Pick<Runtime, 'clock'>,
  caller: Caller,
  wanted: CaseToOpen,
): Promise<BrokerageCase> {
  const { reasons } = await checkEligibility(runtime, caller.environment, wanted.domain);
  if (reasons.includes('open_case')) throw caseIsOpen(wanted.domain);
  if (reasons.length > 0) throw notEligible(wanted.domain, reasons);

  const now = runtime.clock.now();
  const opened: BrokerageCase = {
    ...wanted,
    id: newId('brokerageCase', now),
    partnerId: caller.partnerId,
    environment: caller.environment,
    status: 'OPEN',
    latestOffer: null,
    dealPrice: null,
    commission: null,
    orderId: null,
    createdAt: now,
    updatedAt: now,
    closedAt: null,
  };
  const inserted = await runtime.db.transactFor(caller.partnerId, (tx) => insertCase(tx, opened));
  if (!inserted) throw caseIsOpen(wanted.domain);
  return opened;
}

function caseIsOpen(domain: string) {
  return conflict('open_case', `A brokerage case about ${domain} is open already.`);
}

const REASON_TEXTS: Record<IneligibleReason, string> = {
  open_case: 'a case about it is open already',
  listed: 'it is listed here: buy it instead',
  active_site: 'it runs an active site',
  unregistered: 'it is not registered: register it instead',
  unsupported_tld: 'domains under its suffix cannot be bought from their owners',
};

function notEligible(domain: string, reasons: readonly IneligibleReason[]) {
  const because = reasons.map((reason) => REASON_TEXTS[reason]).join(', and ');
  return fail('not_eligible', {
    message: `${domain} cannot be brokered: ${because}.`,
    details: reasons.map((reason) => ({ reason })),
  });
}
