import type { Config } from '../../platform/config/config.ts';
import type { SignedTokens, TokenSigner } from '../../platform/crypto/signed-tokens.ts';

const PURPOSE = 'verify-registrant';

/** The address that a link is to verify. */
export interface VerificationLink {
  registrantId: string;
  round: number;
}

/**
 * Where a registrant says that an address is theirs. It needs no login. The token names no expiry: it is good until the
 * registrant is another one.
 */
export async function verificationUrl(
  { config, tokens }: { config: Pick<Config, 'baseUrl'>; tokens: TokenSigner },
  { registrantId, round }: VerificationLink,
): Promise<string> {
  const token = await tokens.sign(PURPOSE, { sub: registrantId, round });
  return `${config.baseUrl}/registrant/verify/${token}`;
}

/** What a link is to verify; undefined for a token that was not signed here. */
export async function readVerificationLink(
  tokens: SignedTokens,
  token: string,
): Promise<VerificationLink | undefined> {
  const claims = await tokens.verify(PURPOSE, token);
  if (claims === 'invalid' || claims === 'expired') return undefined;
  return { registrantId: String(claims.sub), round: Number(claims.round) };
}
