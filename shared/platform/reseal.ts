import type { SecretBox } from './secrets.ts';

/** A stored secret: which one it is, and what it was sealed for. */
export interface SealedRow<Id> {
  id: Id;
  sealed: Buffer;
  context: string;
}

/** A secret that is to be stored under the present key. */
export interface Reseal<Id> {
  id: Id;
  before: Buffer;
  after: Buffer;
}

/** The sealed values of one column. */
export interface SealedColumn<Id> {
  /** Up to `limit` rows by id, after `afterId` (from the beginning when undefined). */
  read(afterId: Id | undefined, limit: number): Promise<SealedRow<Id>[]>;
  /** Stores those that still are what they were; returns how many. */
  replace(reseals: readonly Reseal<Id>[]): Promise<number>;
}

/** What a pass found, in secrets. */
export interface Resealed {
  resealed: number;
  /** No key of the configuration opens them. */
  unreadable: number;
}

const BATCH = 500;

/** Seals every secret of a column that another key sealed anew with the present one, in small statements. */
export async function resealColumn<Id>(
  secrets: SecretBox,
  column: SealedColumn<Id>,
): Promise<Resealed> {
  const done: Resealed = { resealed: 0, unreadable: 0 };
  for (let afterId: Id | undefined; ; ) {
    const rows = await column.read(afterId, BATCH);
    const last = rows.at(-1);
    if (!last) return done;
    afterId = last.id;
    const reseals: Reseal<Id>[] = [];
    for (const { id, sealed, context } of rows) {
      if (secrets.isCurrent(sealed, context)) continue;
      const plain = openOrNothing(secrets, sealed, context);
      if (plain === undefined) done.unreadable += 1;
      else reseals.push({ id, before: sealed, after: secrets.seal(plain, context) });
    }
    if (reseals.length > 0) done.resealed += await column.replace(reseals);
  }
}

function openOrNothing(secrets: SecretBox, sealed: Buffer, context: string): string | undefined {
  try {
    return secrets.open(sealed, context);
  } catch {
    return undefined;
  }
}
