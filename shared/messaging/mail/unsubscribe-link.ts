import type { Config } from '../../platform/config/config.ts';
import type { SignedTokens, TokenSigner } from '../../platform/crypto/signed-tokens.ts';
import { isMailTopic, type MailTopic, normalizeAddress } from './mail.ts';

const PURPOSE = 'mail-unsubscribe';

interface Scope {
  config: Pick<Config, 'baseUrl'>;
  tokens: TokenSigner;
}

/** Returns the URL that unsubscribes from a topic without a sign-in; valid as long as the mail is kept. */
export async function unsubscribeUrl(
  { config, tokens }: Scope,
  email: string,
  topic: MailTopic,
): Promise<string> {
  const token = await tokens.sign(PURPOSE, { sub: normalizeAddress(email), topic });
  return `${config.baseUrl}/mail/unsubscribe?t=${encodeURIComponent(token)}`;
}

/** Returns the recipient and topic of an unsubscribe link; undefined if the link is not ours. */
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
