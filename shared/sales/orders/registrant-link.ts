import type { Config } from '../../platform/config/config.ts';
import type { SignedTokens, TokenSigner } from '../../platform/crypto/signed-tokens.ts';

const PURPOSE = 'registrant';

/**
 * The address of the page where a buyer says who the domain is registered for. It needs no login. The token names no
 * expiry: the page is over when the order is.
 */
export async function registrantUrl(
  { config, tokens }: { config: Pick<Config, 'baseUrl'>; tokens: TokenSigner },
  orderId: string,
): Promise<string> {
  return config.baseUrl + (await registrantPath(tokens, orderId));
}

/** The same without the host. */
export async function registrantPath(tokens: TokenSigner, orderId: string): Promise<string> {
  return `/registrant/${await tokens.sign(PURPOSE, { sub: orderId })}`;
}

/** The id of the order that a link is for; undefined for a token that was not signed here. */
export async function readRegistrantLink(
  tokens: SignedTokens,
  token: string,
): Promise<string | undefined> {
  const claims = await tokens.verify(PURPOSE, token);
  return claims === 'invalid' || claims === 'expired' ? undefined : claims.sub;
}
