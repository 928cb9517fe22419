import type { Config } from '../../platform/config/config.ts';
import type { SignedTokens, TokenSigner } from '../../platform/crypto/signed-tokens.ts';

const PURPOSE = 'purchase';

/** The label of the link to the purchase page. */
export const SEE_ORDER = 'See where your order stands';

/** The contents of a purchase link's token. */
export interface PurchaseLink {
  orderId: string;
  /** Whether the link was mailed, which shows that whoever has it reads the buyer's mail. False on the payment page. */
  isMailed: boolean;
}

/** Returns the URL of a purchase's status page, for a mail to the buyer. It needs no login and does not expire. */
export async function purchaseUrl(
  { config, tokens }: { config: Pick<Config, 'baseUrl'>; tokens: TokenSigner },
  orderId: string,
): Promise<string> {
  return config.baseUrl + (await purchasePath(tokens, { orderId, isMailed: true }));
}

/** Like {@link purchaseUrl}, without the host, and for links in mails or on pages. */
export async function purchasePath(
  tokens: TokenSigner,
  { orderId, isMailed }: PurchaseLink,
): Promise<string> {
  return `/purchase/${await tokens.sign(PURPOSE, { sub: orderId, mailed: isMailed })}`;
}

/** Returns the contents of a link's token; undefined if we did not sign it. */
export async function readPurchaseLink(
  tokens: SignedTokens,
  token: string,
): Promise<PurchaseLink | undefined> {
  const claims = await tokens.verify(PURPOSE, token);
  if (claims === 'invalid' || claims === 'expired') return undefined;
  return { orderId: String(claims.sub), isMailed: claims.mailed === true };
}
