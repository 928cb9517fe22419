import type { Config } from '../../platform/config/config.ts';
import type { SignedTokens, TokenSigner } from '../../platform/crypto/signed-tokens.ts';
import { fail } from '../../platform/errors.ts';

const PURPOSE = 'claim-domain';

/** The contents of a claim link's token. */
export interface Claim {
  orderId: string;
  issue: number;
}

/** Returns the URL where the buyer of an order claims its domain. */
export async function claimUrl(
  { config, tokens }: { config: Pick<Config, 'baseUrl'>; tokens: TokenSigner },
  claim: Claim & { expiresAt: Date },
): Promise<string> {
  return config.baseUrl + (await claimPath(tokens, claim));
}

/** Like {@link claimUrl}, without the host. */
export async function claimPath(
  tokens: TokenSigner,
  { orderId, issue, expiresAt }: Claim & { expiresAt: Date },
): Promise<string> {
  const token = await tokens.sign(PURPOSE, { sub: orderId, issue }, expiresAt);
  return `/account/claim?t=${encodeURIComponent(token)}`;
}

/** Returns the contents of a claim link's token. @throws not_found when the token no longer works */
export async function readClaimToken(tokens: SignedTokens, token: string): Promise<Claim> {
  const claims = await tokens.verify(PURPOSE, token);
  if (claims === 'expired' || claims === 'invalid') throw deadClaim();
  return { orderId: String(claims.sub), issue: Number(claims.issue) };
}

export function deadClaim() {
  return fail('not_found', {
    message:
      'This link no longer works: the domain was already claimed with it, a newer link was sent, or it has expired. Ask the seller of the domain for a new one.',
  });
}
