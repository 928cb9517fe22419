import type { Static, TObject } from 'typebox';
import type { Environment } from '../../platform/config/config.ts';
import type { TokenSigner } from '../../platform/crypto/signed-tokens.ts';
import type { Letter } from './letter.ts';
import type { LetterFormat } from './letter-format.ts';

/** Every mail that is sent. A feature defines what stands in it (`defineMail`). */
export const MAIL_KINDS = [
  'receipt',
  'checkout-ready',
  'checkout-ended',
  'transfer-started',
  'claim-domain',
  'code-issued',
  'transfer-out',
  'domain-delivered',
  'domain-renewed',
  'domain-ending',
  'auto-renew-failed',
  'renewal-refunded',
  'refund',
  'brokerage-update',
  'endpoint-failing',
  'endpoint-disabled',
  'statement-ready',
  'payout-sent',
  'payout-failed',
  'payout-account-changed',
  'key-expiring',
  'order-held',
  'registrant-required',
  'order-action-required',
  'verify-registrant',
  'registrant-changed',
  'transfer-action-required',
  'verify-email',
  'invitation',
  'password-reset',
  'new-sign-in',
  'second-factor-changed',
  'staff-digest',
] as const;

export type MailKind = (typeof MAIL_KINDS)[number];

/** What a recipient can be spared, and how a page calls it. Mails of no topic are never left out by choice. */
export const MAIL_TOPICS = {
  brokerage: 'Progress of your brokerage cases',
  webhooks: 'Webhook endpoints that fail',
  money: 'Statements and payouts',
  keys: 'API keys that expire',
  orders: 'Orders that are held or need action',
  staff: 'Daily list of what is waiting',
} as const;

export type MailTopic = keyof typeof MAIL_TOPICS;

/** The members of a partner who get its notices of a topic, by their roles; each can leave topics out. */
export const TOPIC_ROLES: Readonly<Partial<Record<MailTopic, readonly string[]>>> = {
  webhooks: ['admin', 'developer'],
  money: ['admin', 'finance'],
  keys: ['admin', 'developer'],
  orders: ['admin', 'developer', 'finance'],
};

/** The roles at a partner that get mandatory notices. */
export const UNSPARED_ROLES: readonly string[] = ['admin', 'finance'];

export function isMailTopic(text: string): text is MailTopic {
  return Object.hasOwn(MAIL_TOPICS, text);
}

/** What a letter is written with, beside its data. */
export interface LetterContext {
  /** The name under which the recipient knows us: the partner's for its buyers. */
  brand: string;
  format: LetterFormat;
  /** For the links that a letter signs. What is only shown has none that works: see `composeForDisplay`. */
  config: { baseUrl: string };
  tokens: TokenSigner;
}

/**
 * A kind of mail: who asks for it adds it to a unit of work (`uow.mails.add`). Defined in the feature that it
 * belongs to.
 */
export interface Mail<D = never, K extends MailKind = MailKind> {
  kind: K;
  /** Buyers know the partner that they bought from, so their mails carry its name. */
  audience: 'buyer' | 'partner' | 'person' | 'staff';
  /** Set for notices, which have an unsubscribe link; null for what the recipient has to get. */
  topic: MailTopic | null;
  /** Whether it guards an account: then nobody can have it held back, but an address that does not exist. */
  security?(data: D): boolean;
  data: TObject;
  /** Names the cause: one mail is sent for each, to each recipient. */
  cause(data: D): string;
  /** Data for previews and pictures. */
  example: unknown;
  write(data: D, context: LetterContext): Letter | Promise<Letter>;
}

/** Defines a mail. Its name stands in {@link MAIL_KINDS}; a kind that nobody defines does not compile. */
export function defineMail<const K extends MailKind, T extends TObject>(
  definition: Omit<Mail<Static<T>, K>, 'data' | 'example'> & { data: T; example: Static<T> },
): Mail<Static<T>, K> {
  return definition;
}

/** Who gets a mail: one address, the contacts and members of the partner that it is about, or staff. */
export type MailRecipient = { email: string; country?: string | null } | 'contacts' | 'staff';

/** A mail that a unit of work asks for. */
export interface MailRequest {
  kind: MailKind;
  audience: Mail['audience'];
  topic: MailTopic | null;
  cause: string;
  to: MailRecipient;
  /** Whose business it is about; null for our own. */
  of: MailOwner | null;
  data: unknown;
  documents: readonly string[];
}

export interface MailOwner {
  partnerId: string;
  environment: Environment;
}

export type MailState = 'queued' | 'sent' | 'bounced' | 'suppressed';

/** Why an address gets nothing: it asked so, it does not exist, or an operator said so. */
export const SUPPRESSION_REASONS = ['unsubscribed', 'bounced', 'ops'] as const;

export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];

/** Stands for every topic, and for mails of none. */
export const EVERY_TOPIC = 'all';

/** Addresses differ by letter case for nobody but the strictest servers. */
export function normalizeAddress(address: string): string {
  return address.trim().toLowerCase();
}

/** Whether this is one mailbox and nothing else: no list, no name, nothing that ends a header. */
export function isMailAddress(address: string): boolean {
  return (
    address.length <= 254 &&
    /^[^\s"(),:;<>@[\\\]\p{Cc}\p{Cf}]{1,64}@[^\s"(),:;<>@[\\\]\p{Cc}\p{Cf}]+$/u.test(address)
  );
}
