import type { Runtime } from '../runtime.ts';
import type { ClickBuffer } from './click-buffer.ts';
import { listTargets } from './referral-link.store.ts';

const PAGE = 1_000;

/** Puts every link's target into a Redis that was wiped; returns how many, 0 when there is nothing to do. */
export async function warmLinkTargets(
  { db }: Pick<Runtime, 'db'>,
  buffer: ClickBuffer,
  signal?: AbortSignal,
): Promise<number> {
  if (await buffer.isFilled()) return 0;
  let filled = 0;
  let after = '';
  while (!signal?.aborted) {
    const page = await listTargets(db.knex, after, PAGE);
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
