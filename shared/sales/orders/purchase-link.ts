import type { Config } from '../../platform/config/config.ts';
import type { SignedTokens, TokenSigner } from '../../platform/crypto/signed-tokens.ts';

const PURPOSE = 'purchase';

/** What the link to the page says. */
export const SEE_ORDER = 'See where your order stands';

/** The page of a purchase that a link opens. */
export interface PurchaseLink {
  orderId: string;
  /** It came by mail, so whoever has it reads the buyer's mail; the one on the payment page shows nothing of the kind. */
  isMailed: boolean;
}

/** The address, for a mail to the buyer, of the page where a purchase stands. It needs no login and does not end. */
export async function purchaseUrl(
  { config, tokens }: { config: Pick<Config, 'baseUrl'>; tokens: TokenSigner },
  orderId: string,
): Promise<string> {
  return config.baseUrl + (await purchasePath(tokens, { orderId, isMailed: true }));
}

/** The same without the host, also for pages. */
export async function purchasePath(
  tokens: TokenSigner,
  { orderId, isMailed }: PurchaseLink,
): Promise<string> {
  return `/purchase/${await tokens.sign(PURPOSE, { sub: orderId, mailed: isMailed })}`;
}

/** What a link is for; undefined for a token that was not signed here. */
export async function readPurchaseLink(
  tokens: SignedTokens,
  token: string,
): Promise<PurchaseLink | undefined> {
  const claims = await tokens.verify(PURPOSE, token);
  if (claims === 'invalid' || claims === 'expired') return undefined;
  return { orderId: String(claims.sub), isMailed: claims.mailed === true };
}
