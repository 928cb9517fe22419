import type { Environment } from '../../platform/config/config.ts';
import { randomBase62, randomBase64Url } from '../../platform/ids.ts';
import type { DeliveryMethod } from './partner.ts';

/** The random part of a key id, in base 62. */
const KEY_ID_CHARACTERS = 24;

/** What a credential may be allowed to do. */
export const SCOPES = ['search', 'embed', 'buy', 'broker', 'refer', 'report', 'webhook'] as const;

export type Scope = (typeof SCOPES)[number];

export interface Credential {
  keyId: string;
  partnerId: string;
  environment: Environment;
  scopes: readonly Scope[];
  secret: string;
  status: 'active' | 'revoked';
  /** Good until then; for ever when null. */
  expiresAt: Date | null;
  /** Whether it may be used from this address. */
  allows: (address: string | undefined) => boolean;
  partnerStatus: 'active' | 'suspended';
  commissionBps: number;
  /** How the domains that it sells reach their buyers, where a sale says nothing else. */
  deliveryMethod: DeliveryMethod;
  /** Set when the partner is linked to an affiliate account. */
  affiliateId: string | null;
}

/** Who is asking: what every command needs to know of the credential that signed. */
export interface Caller {
  partnerId: string;
  environment: Environment;
  keyId: string;
  commissionBps: number;
  deliveryMethod?: DeliveryMethod;
  /** Set when the partner is linked to an affiliate account. */
  affiliateId?: string | null;
}

/** `pk_test_…` is another spelling of `pk_sandbox_…`. */
export function canonicalKeyId(keyId: string): string {
  return keyId.startsWith('pk_test_') ? `pk_sandbox_${keyId.slice('pk_test_'.length)}` : keyId;
}

const KEY_ID = new RegExp(`^pk_(sandbox|live)_[0-9A-Za-z]{${KEY_ID_CHARACTERS}}$`);

/** Whether a canonical key id has the shape of those that we issue; no other one can exist. */
export function isKeyId(keyId: string): boolean {
  return KEY_ID.test(keyId);
}

/** Whether a key id is spelled as a sandbox one; says nothing about its existence. */
export function isSandboxKeyId(keyId: string): boolean {
  return canonicalKeyId(keyId).startsWith('pk_sandbox_');
}

/** The marker in both halves of a key pair. */
function environmentMarker(environment: Environment): 'sandbox' | 'live' {
  return environment === 'LIVE' ? 'live' : 'sandbox';
}

/** How many active keys a partner has at most in an environment; those of a rotation both count. */
export const MAX_KEYS = 20;
/** How long the name of a key may be. */
export const MAX_KEY_NAME = 60;
/** The longest life that a key can be given, in days. */
export const MAX_KEY_DAYS = 1_825;

/** What its owner says of a key. */
export interface KeyTerms {
  partnerId: string;
  environment: Environment;
  scopes: readonly Scope[];
  name: string | null;
  /** Networks in CIDR notation that it may be used from; from anywhere when null. */
  allowedIps: readonly string[] | null;
  /** Good until then; for ever when null. */
  expiresAt: Date | null;
}

/** A key pair at the one moment at which its secret can be read. */
export interface IssuedKeyPair extends KeyTerms {
  keyId: string;
  secret: string;
}

/** 43 characters of base64url. */
const SECRET_BYTES = 32;

/** A fresh random pair: `pk_<environment>_…` and `sk_<environment>_…`. */
export function newKeyPair(environment: Environment): { keyId: string; secret: string } {
  const marker = environmentMarker(environment);
  return {
    keyId: `pk_${marker}_${randomBase62(KEY_ID_CHARACTERS)}`,
    secret: `sk_${marker}_${randomBase64Url(SECRET_BYTES)}`,
  };
}
