import { parseMarketDomain } from '../../market/names/domain-name.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { recordAudit } from '../../people/audit/audit-log.ts';
import type { DomainFacts } from '../registrar/registrar.ts';
import { writeBought } from './owned-domain.store.ts';

/** Transfers an order's domain to its buyer, with the registrar's facts, whoever owned it before. */
export async function giveBoughtDomain(
  uow: UnitOfWork,
  { orderId, userId, facts }: { orderId: string; userId: string; facts: DomainFacts },
): Promise<void> {
  const name = parseMarketDomain(facts.domain);
  await writeBought(uow.sql, { name, facts, userId, orderId }, uow.now);
  const entry = { actor: userId, action: 'domain:claim', subject: userId, after: { orderId } };
  await recordAudit(uow, entry);
}
