import type { Database } from '../../messaging/unit-of-work/database.ts';
import { type Clock, MINUTE } from '../../platform/clock.ts';
import { createKept } from '../../platform/concurrency/kept.ts';
import { fail, invalid } from '../../platform/errors.ts';
import { parseTld } from '../names/domain-name.ts';
import { readTld, readTlds } from './tld.store.ts';
import type { Tld } from './tld.ts';

/** Every TLD that is sold, by its A-labels, from a short-lived cache. */
export interface TldCatalogue {
  read(): Promise<ReadonlyMap<string, Tld>>;
}

/** Domain search reads prices for every name; a new price may take a minute to show. */
const KEEP_MS = MINUTE;

/** Creates a catalogue that reads all TLDs in one SQL statement, at most once per `keepMs`. Failures are not cached. */
export function createTldCatalogue(
  deps: { db: Database; clock: Clock },
  keepMs = KEEP_MS,
): TldCatalogue {
  return createKept(deps.clock, keepMs, async () => {
    const tlds = await listTlds(deps);
    return new Map(tlds.map((tld) => [tld.tld, tld]));
  });
}

/** Returns the longest known TLD of a domain (A-labels); undefined if none is known. */
export function findTldOf(tlds: ReadonlyMap<string, Tld>, domain: string): Tld | undefined {
  const labels = domain.split('.');
  for (let at = 1; at < labels.length; at += 1) {
    const found = tlds.get(labels.slice(at).join('.'));
    if (found) return found;
  }
  return undefined;
}

/** Returns every TLD that is sold, by name. */
export function listTlds({ db }: { db: Database }): Promise<Tld[]> {
  return db.read(readTlds);
}

/** Returns the TLDs (A-labels) whose registries accept emoji in labels. */
export async function listEmojiTlds(deps: { db: Database }): Promise<ReadonlySet<string>> {
  return emojiTldsOf(await listTlds(deps));
}

/** Like {@link listEmojiTlds}, for TLDs already read. */
export function emojiTldsOf(tlds: Iterable<Tld>): ReadonlySet<string> {
  return new Set([...tlds].filter(({ rules }) => rules.idn.emoji).map(({ tld }) => tld));
}

/**
 * Returns the TLD that `text` names, in any spelling: Unicode or A-labels, any case, with or without a leading dot.
 * @throws validation_error when it can't be a TLD, not_found when it is not sold here
 */
export async function findTld({ db }: { db: Database }, text: string, path: string): Promise<Tld> {
  const tld = parseTld(text);
  if (tld === undefined) throw invalid([{ path, message: 'must be a TLD, such as com or co.uk' }]);
  const found = await db.read((sql) => readTld(sql, tld));
  if (!found) throw fail('not_found', { message: `.${tld} is not sold here.` });
  return found;
}
