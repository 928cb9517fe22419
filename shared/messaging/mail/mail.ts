import type { Static, TObject } from 'typebox';
import type { Environment } from '../../platform/config/config.ts';
import type { TokenSigner } from '../../platform/crypto/signed-tokens.ts';
import type { Letter } from './letter.ts';
import type { LetterFormat } from './letter-format.ts';

/** All kinds of mail. A feature defines the content of each (`defineMail`). */
export const MAIL_KINDS = [
  'receipt',
  'checkout-ready',
  'checkout-ended',
  'transfer-started',
  'claim-domain',
  'code-issued',
  'transfer-out',
  'domain-taken',
  'domain-delivered',
  'offer-received',
  'domain-renewed',
  'domain-ending',
  'auto-renew-failed',
  'renewal-refunded',
  'refund',
  'brokerage-update',
  'buyer-answered',
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

/** The topics that a recipient can unsubscribe from, with their labels. Mail without a topic is mandatory. */
export const MAIL_TOPICS = {
  brokerage: 'Progress of your brokerage cases',
  webhooks: 'Webhook endpoints that fail',
  money: 'Statements and payouts',
  keys: 'API keys that expire',
  orders: 'Orders on hold or needing action',
  staff: 'Daily list of waiting work',
  cases: 'Answers of buyers in brokerage cases',
} as const;

export type MailTopic = keyof typeof MAIL_TOPICS;

/** The roles whose members get a partner's notices of a topic; each member can unsubscribe from topics. */
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

/** The context for writing a letter, apart from its data. */
export interface LetterContext {
  /** The name by which the recipient knows us; for buyers, the partner's name. */
  brand: string;
  format: LetterFormat;
  /** For signed links in the letter. Letters that are only displayed have no working links: see `composeForDisplay`. */
  config: { baseUrl: string };
  tokens: TokenSigner;
}

/**
 * A kind of mail, defined by its feature. Commands add mails to their unit of work (`uow.mails.add`).
 */
export interface Mail<D = never, K extends MailKind = MailKind> {
  kind: K;
  /** Who gets the mail. Buyers know the partner they bought from, so their mail carries its name. */
  audience: 'buyer' | 'partner' | 'person' | 'staff';
  /**
   * Why a person gets the mail, to follow "You get this email because"; the service's name follows it. By default,
   * because someone entered the address. Mail with `security` has its own reason.
   */
  reason?(data: D): string;
  /** The topic of a notice, which has an unsubscribe link; null for mandatory mail. */
  topic: MailTopic | null;
  /** Whether the mail protects an account: it is then only suppressed for addresses that do not exist. */
  security?(data: D): boolean;
  data: TObject;
  /** Returns the cause: each recipient gets one mail per cause. */
  cause(data: D): string;
  /** Example data for previews and screenshots. */
  example: unknown;
  write(data: D, context: LetterContext): Letter | Promise<Letter>;
}

/** Defines a mail. Its kind must be in {@link MAIL_KINDS}; a kind without a definition does not compile. */
export function defineMail<const K extends MailKind, T extends TObject>(
  definition: Omit<Mail<Static<T>, K>, 'data' | 'example'> & { data: T; example: Static<T> },
): Mail<Static<T>, K> {
  return definition;
}

/** The recipient of a mail: one address, the contacts and members of the partner concerned, or staff. */
export type MailRecipient = { email: string; country?: string | null } | 'contacts' | 'staff';

/** A mail added to a unit of work. */
export interface MailRequest {
  kind: MailKind;
  audience: Mail['audience'];
  topic: MailTopic | null;
  cause: string;
  to: MailRecipient;
  /** The partner that the mail concerns; null for our own business. */
  of: MailOwner | null;
  data: unknown;
  documents: readonly string[];
}

export interface MailOwner {
  partnerId: string;
  environment: Environment;
}

export type MailState = 'queued' | 'sent' | 'bounced' | 'suppressed';

/** Why an address is suppressed: it unsubscribed, it does not exist, or an operator suppressed it. */
export const SUPPRESSION_REASONS = ['unsubscribed', 'bounced', 'ops'] as const;

export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];

/** Stands for every topic, and for mails of none. */
export const EVERY_TOPIC = 'all';

/** Normalizes an address; practically no mail server distinguishes letter case. */
export function normalizeAddress(address: string): string {
  return address.trim().toLowerCase();
}

/** Returns whether this is a single mailbox: no list, no name, no characters that end a header. */
export function isMailAddress(address: string): boolean {
  return (
    address.length <= 254 &&
    /^[^\s"(),:;<>@[\\\]\p{Cc}\p{Cf}]{1,64}@[^\s"(),:;<>@[\\\]\p{Cc}\p{Cf}]+$/u.test(address)
  );
}
