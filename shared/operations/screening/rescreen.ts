import { screenChanges } from '../../domains/domain-registrants/change-registrant.ts';
import { screenRegistrants } from '../../domains/domain-registrants/screen-registrants.ts';
import type { JobReference } from '../../messaging/jobs/job.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { noteProgress, noteRescreened, readProgress } from '../../people/screening/import-list.ts';
import type { Rescreened } from '../../people/screening/rescreened.ts';
import type { SecretBox } from '../../platform/crypto/secrets.ts';
import { screenOpenOrders } from '../../sales/orders/rescreen-orders.ts';
import type { ScreenedPart } from '../../sales/orders/screen-order.ts';
import { screenPayees } from '../../settlement/payouts/screen-payee.ts';

/** The number of parties per statement. */
const PART = 50;

type Scope = { db: Database; secrets: SecretBox };
type Screen = (scope: Scope, after: string, limit: number) => Promise<ScreenedPart>;

/** The kinds of parties to screen, in order. */
const KINDS = [
  ['orders', screenOpenOrders],
  ['changes', screenChanges],
  ['registrants', screenRegistrants],
  ['payees', screenPayees],
] as const satisfies readonly (readonly [keyof Rescreened, Screen])[];

/**
 * Screens the buyers and registrants of all undelivered LIVE orders, pending registrant changes, registrants of owned
 * domains, and all payees against the lists, and holds those that match. Repeated runs record a match only once. A run
 * that was interrupted, such as by `betweenParts`, which may throw, continues where it stopped.
 */
export async function rescreen(
  scope: Scope,
  job: JobReference,
  of: { list: string; version: number },
  betweenParts: (soFar: Rescreened) => void,
): Promise<Rescreened> {
  const progress = await readProgress(scope, of);
  const { found } = progress;
  for (const [at, [kind, screen]] of KINDS.entries()) {
    if (at < progress.kind) continue;
    let after: string | null = at === progress.kind ? progress.after : '';
    while (after !== null) {
      const { screened, hits, last }: ScreenedPart = await screen(scope, after, PART);
      found[kind] += screened;
      found.hits += hits;
      after = last;
      await noteProgress(
        scope,
        of,
        last === null ? { kind: at + 1, after: '', found } : { kind: at, after: last, found },
      );
      betweenParts(found);
    }
  }
  await scope.db.transact(async (uow) => {
    await noteRescreened(uow, { ...of, ...found });
    uow.jobs.finish(job);
  });
  return found;
}
