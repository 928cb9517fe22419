import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { newId } from '../../platform/ids.ts';
import { writeEntry } from './ledger.store.ts';
import { type NewEntry, unbalancedAmounts } from './ledger-entry.ts';

/**
 * Posts one balanced entry in the caller's transaction and returns its ID.
 * @throws Error for an entry that does not sum to zero, which would be a bug (the database would reject it too)
 */
export async function postEntry(uow: UnitOfWork, entry: NewEntry): Promise<string> {
  const off = unbalancedAmounts(entry.postings);
  if (off.size > 0) {
    throw new Error(`ledger entry ${entry.kind}/${entry.reference} is off by ${[...off]}`);
  }
  const id = newId('ledgerEntry', uow.realNow);
  await writeEntry(uow.pipeline, id, entry, uow.realNow);
  return id;
}
