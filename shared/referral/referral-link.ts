import type { Environment } from '../platform/config.ts';
import { randomBase62 } from '../platform/ids.ts';

export const LINK_KINDS = ['generic', 'domain', 'product'] as const;

export type LinkKind = (typeof LINK_KINDS)[number];

/** A tracked link of an affiliate. It never changes. */
export interface ReferralLink {
  id: string;
  partnerId: string;
  environment: Environment;
  kind: LinkKind;
  /** A-labels; for the kind `domain` only. */
  domain: string | null;
  /** For the kind `product` only. */
  product: string | null;
  label: string | null;
  /** The affiliate's own name for where it puts the link. */
  subId: string | null;
  code: string;
  /** Basis points of a sale's price. */
  commissionBps: number;
  createdAt: Date;
}

/** Whose links, clicks and commissions. */
export interface AffiliateOwner {
  partnerId: string;
  environment: Environment;
}

const CODE_LENGTH = 10;
const CODE = /^[0-9A-Za-z]{10}$/;

/** 60 bits of chance: codes can't be guessed, and don't meet. */
export function newCode(): string {
  return randomBase62(CODE_LENGTH);
}

/** Whether `text` has the shape of a link's code; says nothing about its existence. */
export function isCode(text: string): boolean {
  return CODE.test(text);
}

/** `{base_url}/r/{code}` */
export function linkUrl(baseUrl: string, code: string): string {
  return `${baseUrl}/r/${code}`;
}
