import type { Config } from '../../platform/config/config.ts';
import type { SignedTokens, TokenSigner } from '../../platform/crypto/signed-tokens.ts';
import { isMailTopic, type MailTopic, normalizeAddress } from './mail.ts';

const PURPOSE = 'mail-unsubscribe';

interface Scope {
  config: Pick<Config, 'baseUrl'>;
  tokens: TokenSigner;
}

/** The address that ends notices of a topic, without a sign-in; it is good for as long as the mail is kept. */
export async function unsubscribeUrl(
  { config, tokens }: Scope,
  email: string,
  topic: MailTopic,
): Promise<string> {
  const token = await tokens.sign(PURPOSE, { sub: normalizeAddress(email), topic });
  return `${config.baseUrl}/mail/unsubscribe?t=${encodeURIComponent(token)}`;
}

/** Whose link it is, and for which notices; undefined for a link that was not made here. */
export async function readUnsubscribeToken(
  tokens: SignedTokens,
  token: string,
): Promise<{ email: string; topic: MailTopic } | undefined> {
  const claims = await tokens.verify(PURPOSE, token);
  if (claims === 'invalid' || claims === 'expired') return undefined;
  const { sub, topic } = claims;
  if (typeof sub !== 'string' || typeof topic !== 'string' || !isMailTopic(topic)) return undefined;
  return { email: sub, topic };
}
