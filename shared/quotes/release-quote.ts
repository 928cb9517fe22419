import { conflict, fail } from '../platform/errors.ts';
import type { Runtime } from '../runtime.ts';
import { lockQuote, setState } from './quote.store.ts';
import type { QuoteOwner } from './quote.ts';
import { readQuoteToken } from './quote-token.ts';

/**
 * Gives a hold back before it expires. Releasing it twice, or after it expired, is fine.
 * @throws not_found for a quote that is not this partner's, conflict (quote_used)
 */
export async function releaseQuote(
  runtime: Pick<Runtime, 'db' | 'tokens'>,
  owner: QuoteOwner,
  token: string,
): Promise<void> {
  const read = await readQuoteToken(runtime.tokens, token);
  if (read === 'expired') return;
  if (read === 'invalid') throw quoteNotFound();
  await runtime.db.transactFor(owner.partnerId, async (tx) => {
    const quote = await lockQuote(tx, owner, read.id);
    if (!quote) throw quoteNotFound();
    if (quote.state === 'used') {
      throw conflict('quote_used', 'This quote has become an order; refund the order instead.');
    }
    if (quote.state === 'open') await setState(tx, quote.id, 'released');
  });
}

function quoteNotFound() {
  return fail('not_found', { message: 'No quote of yours has this id.' });
}
