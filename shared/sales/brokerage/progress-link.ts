import type { Database } from '../../messaging/unit-of-work/database.ts';
import { inTimeOf } from '../../messaging/unit-of-work/partner-time.ts';
import type { Clock } from '../../platform/clock.ts';
import { addMs, DAY } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { SignedTokens, TokenSigner } from '../../platform/crypto/signed-tokens.ts';
import type { CaseDetail } from './brokerage-case.store.ts';
import { getCaseById } from './read-cases.ts';

const PURPOSE = 'brokerage-progress';

/**
 * Returns the URL of a buyer's progress page. It needs no login, so whoever has it may act for the buyer. The token has
 * no expiry, since the end of the case is not known yet; it is looked up when the link is used.
 */
export async function progressUrl(
  { config, tokens }: { config: Pick<Config, 'baseUrl'>; tokens: TokenSigner },
  caseId: string,
): Promise<string> {
  const token = await tokens.sign(PURPOSE, { sub: caseId });
  return `${config.baseUrl}/brokerage/${caseId}?pt=${encodeURIComponent(token)}`;
}

/**
 * Returns the case that a link opens: `'invalid'` if we did not sign the token for this case, `'expired'` once the case
 * has been closed for BROKERAGE_LINK_DAYS.
 */
export async function openProgressLink(
  runtime: { db: Database; config: Config; clock: Clock; tokens: SignedTokens },
  caseId: string,
  token: string,
): Promise<CaseDetail | 'expired' | 'invalid'> {
  const claims = await runtime.tokens.verify(PURPOSE, token);
  if (claims === 'invalid' || claims === 'expired') return claims;
  if (claims.sub !== caseId) return 'invalid';
  const detail = await getCaseById(runtime, caseId);
  const { closedAt } = detail.found;
  const over = closedAt && addMs(closedAt, runtime.config.brokerageLinkDays * DAY);
  const { clock } = await inTimeOf(runtime, detail.found);
  return over && over <= clock.now() ? 'expired' : detail;
}
