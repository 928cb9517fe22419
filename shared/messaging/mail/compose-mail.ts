import type { Config } from '../../platform/config/config.ts';
import type { TokenSigner } from '../../platform/crypto/signed-tokens.ts';
import { plainLine } from '../../platform/plain-line.ts';
import { letterFormat } from './letter-format.ts';
import type { MailWithBrand } from './mail.store.ts';
import type { Mail, MailKind } from './mail.ts';
import { type Attachment, type OutgoingMail, senderOf } from './mail-transport.ts';
import { renderLetter } from './render-letter.ts';
import { unsubscribeUrl } from './unsubscribe-link.ts';

/** Every mail by its kind; a kind without a definition does not compile. */
export type MailCatalogue = { readonly [K in MailKind]: Mail<never, K> };

interface ComposeScope {
  config: Pick<Config, 'baseUrl' | 'mailFrom'>;
  tokens: TokenSigner;
}

/** What is needed to display a mail. A scope that could sign links does not compile as one. */
export interface DisplayScope extends Pick<ComposeScope, 'config'> {
  tokens?: never;
}

/** Replaces every token in a mail that is only displayed. */
const WITHHELD: TokenSigner = { sign: async () => 'withheld' };

const MAX_BRAND_LENGTH = 60;

/** Composes a mail for sending: in the partner's name for its buyers, and with an unsubscribe link for notices. */
export async function composeMail(
  scope: ComposeScope,
  definition: Mail<never>,
  mail: MailWithBrand,
  messageId: string,
  attachments: readonly Attachment[],
): Promise<OutgoingMail> {
  const sender = senderOf(scope.config.mailFrom);
  const forBuyer = definition.audience === 'buyer';
  const partner = forBuyer
    ? plainLine(mail.displayName ?? mail.partnerName ?? '', MAX_BRAND_LENGTH)
    : '';
  const brand = partner || sender.name;
  const letter = await definition.write(mail.data as never, {
    brand,
    format: letterFormat(mail.locale),
    config: scope.config,
    tokens: scope.tokens,
  });
  const unsubscribe =
    definition.topic && (await unsubscribeUrl(scope, mail.recipient, definition.topic));
  const sandbox = mail.environment === 'SANDBOX' ? '[Sandbox] ' : '';
  const rendered = await renderLetter(
    { ...letter, subject: sandbox + letter.subject },
    {
      brand,
      accentColor: forBuyer ? mail.accentColor : null,
      footer: footerOf(definition, {
        brand,
        sender: sender.name,
        supportEmail: mail.supportEmail,
        security: definition.security?.(mail.data as never) ?? false,
        reason: definition.reason?.(mail.data as never) ?? 'someone entered this address',
      }),
      unsubscribeUrl: unsubscribe,
    },
  );
  return {
    id: mail.id,
    messageId,
    date: mail.createdAt,
    from: {
      // A partner's name must not appear as the sender before our staff have approved the partner.
      name: partner && mail.partnerApproved ? `${partner} via ${sender.name}` : sender.name,
      address: sender.address,
    },
    to: mail.recipient,
    replyTo: forBuyer ? mail.supportEmail : null,
    ...rendered,
    headers: unsubscribe
      ? {
          'List-Unsubscribe': `<${unsubscribe}>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        }
      : {},
    attachments,
  };
}

/** Returns a stable Message-ID, so that a mail sent twice because of a crash is recognized as a duplicate. */
export function messageIdOf(
  { config }: { config: Pick<Config, 'mailFrom'> },
  mailId: string,
): string {
  return `<${mailId}@${senderOf(config.mailFrom).address.split('@')[1]}>`;
}

/**
 * Composes a mail for display to people other than its recipient: its links lead to their pages, but carry no token,
 * since a token would let them act for the recipient.
 */
export function composeForDisplay(
  { config }: DisplayScope,
  definition: Mail<never>,
  mail: MailWithBrand,
): Promise<OutgoingMail> {
  const messageId = mail.messageId ?? messageIdOf({ config }, mail.id);
  return composeMail({ config, tokens: WITHHELD }, definition, mail, messageId, []);
}

function footerOf(
  { audience }: Mail<never>,
  about: {
    brand: string;
    sender: string;
    supportEmail: string | null;
    security: boolean;
    reason: string;
  },
): string[] {
  const { brand, sender, supportEmail, security, reason } = about;
  switch (audience) {
    case 'buyer':
      return [
        `You get this email because you bought or asked for a domain at ${brand}.`,
        supportEmail === null
          ? `Questions? Contact ${brand}.`
          : `Questions? Write to ${brand} at ${supportEmail}.`,
      ];
    case 'partner':
      return [
        `You get this email because you are a member or contact of a partner account at ${sender}.`,
      ];
    case 'staff':
      return [`You get this email because this address is a staff contact of ${sender}.`];
    case 'person':
      return [
        security
          ? `You get this email because of your account at ${sender}. It can't be turned off.`
          : `You get this email because ${reason} at ${sender}.`,
      ];
  }
}
