import type { Environment } from '../platform/config.ts';
import type { Runtime } from '../runtime.ts';
import { createClickBuffer } from './click-buffer.ts';
import { decodeClick, isInAttributionWindow } from './click-cookie.ts';
import { dayOf } from './visitor.ts';

/**
 * Counts, for the funnel of `/analytics`, that a click led to a checkout: once a session, however often
 * its page is opened. `click` is what the session keeps of it. Never throws: a figure is no reason to
 * keep a buyer from paying.
 */
export async function countCheckoutView(
  { redis, config, clock, log }: Pick<Runtime, 'redis' | 'config' | 'clock' | 'log'>,
  session: { id: string; environment: Environment },
  click: string | null | undefined,
): Promise<void> {
  const now = clock.now();
  const remembered = decodeClick(click);
  if (!remembered || !isInAttributionWindow(remembered.clickedAt, now)) return;
  try {
    await createClickBuffer(redis, config).countCheckout(remembered.code, dayOf(now), session);
  } catch (error) {
    log.debug({ err: error }, 'referral: a checkout was not counted');
  }
}
