import type { Config } from '../platform/config.ts';
import type { Tx } from '../platform/db.ts';
import { conflict } from '../platform/errors.ts';
import { countHolds, lockPartner } from './quote.store.ts';
import type { QuoteOwner } from './quote.ts';

/** Makes the holding of one partner sequential, so that its holds can be counted. Lock it before a listing. */
export const lockHolds = lockPartner;

/**
 * Refuses one hold more than a partner may have in an environment, by its quotes and by payments under way on its
 * checkout pages together. @throws conflict (too_many_holds)
 */
export async function enforceHoldLimit(
  tx: Tx,
  { maxOpenHolds }: Pick<Config, 'maxOpenHolds'>,
  owner: QuoteOwner,
  now: Date,
): Promise<void> {
  if ((await countHolds(tx, owner, now)) < maxOpenHolds) return;
  throw conflict(
    'too_many_holds',
    `You hold ${maxOpenHolds} domains already, payments under way on your checkout pages included. Release a quote, or wait for one to expire.`,
  );
}
