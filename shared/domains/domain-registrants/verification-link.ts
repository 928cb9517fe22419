import type { Config } from '../../platform/config/config.ts';
import type { SignedTokens, TokenSigner } from '../../platform/crypto/signed-tokens.ts';

const PURPOSE = 'verify-registrant';

/** The registrant, and the round of verification, to which a link belongs. */
export interface VerificationLink {
  registrantId: string;
  round: number;
}

/**
 * Returns the link with which a registrant confirms their address. It needs no login. The token has no expiry: it is
 * valid until the registrant or the address changes.
 */
export async function verificationUrl(
  { config, tokens }: { config: Pick<Config, 'baseUrl'>; tokens: TokenSigner },
  { registrantId, round }: VerificationLink,
): Promise<string> {
  const token = await tokens.sign(PURPOSE, { sub: registrantId, round });
  return `${config.baseUrl}/registrant/verify/${token}`;
}

/** Reads a verification link; undefined for a token that we did not sign. */
export async function readVerificationLink(
  tokens: SignedTokens,
  token: string,
): Promise<VerificationLink | undefined> {
  const claims = await tokens.verify(PURPOSE, token);
  if (claims === 'invalid' || claims === 'expired') return undefined;
  return { registrantId: String(claims.sub), round: Number(claims.round) };
}
