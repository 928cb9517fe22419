import { LRUCache } from 'lru-cache';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { SECOND } from '../../platform/clock.ts';
import { batchCalls } from '../../platform/concurrency/call-batcher.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { ClickBuffer } from './click-buffer.ts';
import { selectTargetPage, selectTargets } from './referral-link.store.ts';
import { type CodeTarget, isCode, type LinkTarget } from './referral-link.ts';

/** The maximum numbers of known links and of unknown codes that a process caches. */
const MAX_REMEMBERED = 20_000;
const UNKNOWN_MS = 2 * SECOND;
const MAX_LOOKUP = 500;

/** A click on a code. The visitor is null if the click does not count. */
interface Click {
  code: string;
  day: string;
  visitor: string | null;
}

/** Finds the target of a code and counts the click. */
export type LinkTargetFinder = (click: Click) => Promise<LinkTarget | null>;

/**
 * Creates a finder that asks Redis, in one round trip that also counts the click. A code that is missing in Redis is
 * looked up in Postgres, with at most one statement at a time, and stored in Redis. Unknown codes are cached for a
 * moment. While Redis is down, codes that this process has seen are still found, but their clicks are not counted.
 * @throws whatever Redis threw, if it is down and the process has not seen the code
 */
export function createLinkTargetFinder(
  { db, log }: { db: Database; log: Logger },
  buffer: ClickBuffer,
): LinkTargetFinder {
  const known = new LRUCache<string, LinkTarget>({ max: MAX_REMEMBERED });
  const unknown = new LRUCache<string, true>({ max: MAX_REMEMBERED, ttl: UNKNOWN_MS });
  const lookUp = batchCalls<string, CodeTarget | undefined>(async (codes) => {
    const targets = await selectTargets.all(db.knex, { codes });
    const found = new Map(targets.map((each) => [each.code, each]));
    await buffer.putTargets([...found.values()]);
    return codes.map((code) => found.get(code));
  }, MAX_LOOKUP);

  return async ({ code, day, visitor }) => {
    if (!isCode(code) || unknown.has(code)) return null;
    const visit = () => buffer.visit(code, day, visitor);
    let target: LinkTarget | null;
    try {
      target = await visit();
    } catch (error) {
      const remembered = known.get(code);
      if (!remembered) throw error;
      log.debug({ err: error }, 'referral: a click was not counted');
      return remembered;
    }
    if (!target && (await lookUp(code))) target = await visit();
    if (target) known.set(code, target);
    else unknown.set(code, true);
    return target;
  };
}

const PAGE = 1_000;

/** Stores every link's target in a wiped Redis. Returns how many; 0 if there is nothing to do. */
export async function warmLinkTargets(
  { db }: { db: Database },
  buffer: ClickBuffer,
  signal?: AbortSignal,
): Promise<number> {
  if (await buffer.isFilled()) return 0;
  let filled = 0;
  let after = '';
  while (!signal?.aborted) {
    const page = await selectTargetPage.all(db.knex, { after, limit: PAGE });
    await buffer.putTargets(page);
    filled += page.length;
    const last = page.at(-1);
    if (page.length < PAGE || !last) {
      await buffer.markFilled();
      break;
    }
    after = last.id;
  }
  return filled;
}
