import { parseTld } from '../inventory/domain-name.ts';
import type { Database } from '../platform/db.ts';
import { fail, invalid } from '../platform/errors.ts';
import { selectTld } from './tld.store.ts';
import type { Tld } from './tld.ts';

/**
 * The TLD that `text` names, in any spelling: Unicode or A-labels, any case, with or without a leading dot.
 * @throws validation_error when it can't be a TLD, not_found when it is not sold here
 */
export async function findTld({ db }: { db: Database }, text: string, path: string): Promise<Tld> {
  const tld = parseTld(text);
  if (tld === undefined) throw invalid([{ path, message: 'must be a TLD, such as com or co.uk' }]);
  const found = await db.read((sql) => selectTld(sql, tld));
  if (!found) throw fail('not_found', { message: `.${tld} is not sold here.` });
  return found;
}
