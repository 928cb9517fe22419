import type { Config } from '../../platform/config/config.ts';
import type { SignedTokens, TokenSigner } from '../../platform/crypto/signed-tokens.ts';
import { fail } from '../../platform/errors.ts';

const PURPOSE = 'stop-transfer-out';

/** Returns the link with which an owner stops a transfer, without signing in. It works until the transfer ends. */
export async function stopUrl(
  { config, tokens }: { config: Pick<Config, 'baseUrl'>; tokens: TokenSigner },
  id: string,
): Promise<string> {
  const token = await tokens.sign(PURPOSE, { sub: id });
  return `${config.baseUrl}/account/stop-transfer?t=${encodeURIComponent(token)}`;
}

/** Returns the transfer ID of a link. @throws not_found for a token that we did not sign */
export async function readStopLink(tokens: SignedTokens, token: string): Promise<string> {
  const claims = await tokens.verify(PURPOSE, token);
  if (claims === 'invalid' || claims === 'expired') {
    throw fail('not_found', {
      message: 'This link may be incomplete. Open it again from your email, or copy all of it.',
    });
  }
  return String(claims.sub);
}
