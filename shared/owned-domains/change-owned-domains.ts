import type { Tx } from '../platform/db.ts';
import type { DomainFacts } from '../registrar/registrar.ts';
import { lockOwned, updateFacts, updateTags } from './owned-domain.store.ts';
import type { OwnedDomain } from './owned-domain.ts';
import { byDomain } from './read-owned-domains.ts';

/** Those of `domains` (A-labels) that are the user's, by name, locked until the transaction ends. */
export async function lockOwnedDomains(
  tx: Tx,
  userId: string,
  domains: readonly string[],
): Promise<Map<string, OwnedDomain>> {
  return byDomain(await lockOwned(tx, userId, domains));
}

/** Keeps what the registrar told of domains; an older word of it than the one known is dropped. */
export async function recordFacts(tx: Tx, facts: readonly DomainFacts[], now: Date): Promise<void> {
  if (facts.length > 0) await updateFacts(tx, facts, now);
}

/** Gives domains, which the caller has locked, these tags and no others. */
export async function setTags(
  tx: Tx,
  tagged: readonly { domain: string; tags: readonly string[] }[],
  now: Date,
): Promise<void> {
  if (tagged.length > 0) await updateTags(tx, tagged, now);
}
