import { createHash, type Hash } from 'node:crypto';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import * as store from './audit-chain.store.ts';

const BATCH = 1_000;

/** The result of checking the audit trail. */
export interface AuditCheck {
  ok: boolean;
  /** The number of entries with the right hash. */
  entries: number;
  /** The first fault, in words; null if there is none. */
  fault: string | null;
  /** The hash of the last entry. Keep it elsewhere and pass it to a later check to detect a truncated chain. */
  head: string | null;
}

/**
 * Recomputes the hash chain of the audit trail outside of the database. Finds entries that were changed, removed,
 * inserted or written outside the chain. With `known`, the head of an earlier check, also finds a rewritten chain.
 */
export async function checkAudit(
  { db }: { db: Database },
  known: string | null = null,
): Promise<AuditCheck> {
  let entries = 0;
  let head = Buffer.alloc(0);
  let knownIsMissing = known !== null;
  const result = (fault: string | null): AuditCheck => ({
    ok: fault === null,
    entries,
    fault,
    head: entries === 0 ? null : head.toString('hex'),
  });

  for (;;) {
    const links = await store.selectLinks.all(db.knex, { above: entries, limit: BATCH });
    for (const { position, entryId, hash, text } of links) {
      if (position !== entries + 1) return result(`Place ${entries + 1} of the chain is missing.`);
      if (text === null) return result(`Entry ${entryId} was removed.`);
      const next = hashOf(head).update(text).digest();
      if (!next.equals(hash)) return result(`Entry ${entryId} is not what was written.`);
      head = next;
      entries = position;
      if (head.toString('hex') === known) knownIsMissing = false;
    }
    if (links.length < BATCH) break;
  }
  const stray = await store.selectUnchained.first(db.knex);
  if (stray) return result(`Entry ${stray.id} is in no chain.`);
  return result(
    knownIsMissing ? 'The known head is not in the chain: the chain was rewritten.' : null,
  );
}

function hashOf(previous: Buffer): Hash {
  return createHash('sha256').update(previous);
}
