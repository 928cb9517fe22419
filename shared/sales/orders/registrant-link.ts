import type { Config } from '../../platform/config/config.ts';
import type { SignedTokens, TokenSigner } from '../../platform/crypto/signed-tokens.ts';

const PURPOSE = 'registrant';

/**
 * Returns the URL of the page where a buyer enters the registrant. It needs no login. The token does not expire; the
 * page closes with the order.
 */
export async function registrantUrl(
  { config, tokens }: { config: Pick<Config, 'baseUrl'>; tokens: TokenSigner },
  orderId: string,
): Promise<string> {
  return config.baseUrl + (await registrantPath(tokens, orderId));
}

/** Like {@link registrantUrl}, without the host. */
export async function registrantPath(tokens: TokenSigner, orderId: string): Promise<string> {
  return `/registrant/${await tokens.sign(PURPOSE, { sub: orderId })}`;
}

/** Returns the id of the order that a link is for; undefined if we did not sign its token. */
export async function readRegistrantLink(
  tokens: SignedTokens,
  token: string,
): Promise<string | undefined> {
  const claims = await tokens.verify(PURPOSE, token);
  return claims === 'invalid' || claims === 'expired' ? undefined : claims.sub;
}
