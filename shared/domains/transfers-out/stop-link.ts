import type { Config } from '../../platform/config/config.ts';
import type { SignedTokens, TokenSigner } from '../../platform/crypto/signed-tokens.ts';
import { fail } from '../../platform/errors.ts';

const PURPOSE = 'stop-transfer-out';

/** Where the owner of a domain stops its transfer, also without signing in. The page is over when the transfer is. */
export async function stopUrl(
  { config, tokens }: { config: Pick<Config, 'baseUrl'>; tokens: TokenSigner },
  id: string,
): Promise<string> {
  const token = await tokens.sign(PURPOSE, { sub: id });
  return `${config.baseUrl}/account/stop-transfer?t=${encodeURIComponent(token)}`;
}

/** The id of the transfer out that a link is for. @throws not_found for a token that was not signed here */
export async function readStopLink(tokens: SignedTokens, token: string): Promise<string> {
  const claims = await tokens.verify(PURPOSE, token);
  if (claims === 'invalid' || claims === 'expired') {
    throw fail('not_found', {
      message: 'This link does not work. Open it again from your e-mail, or copy all of it.',
    });
  }
  return String(claims.sub);
}
