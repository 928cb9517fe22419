import type { Tx } from '../platform/db.ts';
import { insertAudit } from './audit.store.ts';

/** What an action changed, as it was and as it is; only what matters of it, and never a secret. */
export type Snapshot = Readonly<Record<string, unknown>>;

export interface AuditEntry {
  /** Who acted: a user's id, `cli:<account>`, `seed`, `worker`. */
  actor: string;
  /** What was done, as the command is called: `credential:revoke`. */
  action: string;
  /** The id of what it was done to. */
  subject: string;
  before?: Snapshot | null;
  after?: Snapshot | null;
}

const SECRET_NAME = /secret|password|token|ciphertext|hash/i;

/** Writes who did what in the transaction that does it. @throws Error when a snapshot names a secret */
export async function recordAudit(tx: Tx, entry: AuditEntry, now: Date): Promise<void> {
  const before = entry.before ?? null;
  const after = entry.after ?? null;
  assertNoSecrets(before);
  assertNoSecrets(after);
  await insertAudit(tx, { ...entry, before, after, at: now });
}

/** The trail is read by many and kept for long, so a secret in it is a bug that must not pass unseen. */
function assertNoSecrets(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, child] of Object.entries(value)) {
    if (SECRET_NAME.test(name)) throw new Error(`"${name}" must not be in the audit trail`);
    assertNoSecrets(child);
  }
}
