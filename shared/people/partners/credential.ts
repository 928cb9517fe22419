import type { Environment } from '../../platform/config/config.ts';
import { randomBase62, randomBase64Url } from '../../platform/ids.ts';
import type { DeliveryMethod } from './partner.ts';

/** The random part of a key id, in base 62. */
const KEY_ID_CHARACTERS = 24;

/** The scopes that a credential can have. */
export const SCOPES = ['search', 'embed', 'buy', 'broker', 'refer', 'report', 'webhook'] as const;

export type Scope = (typeof SCOPES)[number];

export interface Credential {
  keyId: string;
  partnerId: string;
  environment: Environment;
  scopes: readonly Scope[];
  secret: string;
  status: 'active' | 'revoked';
  /** When the key expires; null for never. */
  expiresAt: Date | null;
  /** Returns whether the key may be used from this address. */
  allows: (address: string | undefined) => boolean;
  partnerStatus: 'active' | 'suspended';
  commissionBps: number;
  /** The default for how the partner's sold domains reach their buyers. */
  deliveryMethod: DeliveryMethod;
  /** Set when the partner is linked to an affiliate account. */
  affiliateId: string | null;
}

/** The caller: what every command needs to know about the credential that signed the request. */
export interface Caller {
  partnerId: string;
  environment: Environment;
  keyId: string;
  commissionBps: number;
  deliveryMethod?: DeliveryMethod;
  /** Set when the partner is linked to an affiliate account. */
  affiliateId?: string | null;
}

/** Returns the canonical form of a key id: `pk_test_…` is an alias of `pk_sandbox_…`. */
export function canonicalKeyId(keyId: string): string {
  return keyId.startsWith('pk_test_') ? `pk_sandbox_${keyId.slice('pk_test_'.length)}` : keyId;
}

const KEY_ID = new RegExp(`^pk_(sandbox|live)_[0-9A-Za-z]{${KEY_ID_CHARACTERS}}$`);

/** Returns whether a canonical key id has the format that we issue. No other ids exist. */
export function isKeyId(keyId: string): boolean {
  return KEY_ID.test(keyId);
}

/** Returns whether a key id has the sandbox format. The key may not exist. */
export function isSandboxKeyId(keyId: string): boolean {
  return canonicalKeyId(keyId).startsWith('pk_sandbox_');
}

/** The marker in both halves of a key pair. */
function environmentMarker(environment: Environment): 'sandbox' | 'live' {
  return environment === 'LIVE' ? 'live' : 'sandbox';
}

/** The maximum number of active keys per partner and environment. Both keys of a rotation count. */
export const MAX_KEYS = 20;
/** The maximum length of a key's name. */
export const MAX_KEY_NAME = 60;
/** The maximum lifetime of a key, in days. */
export const MAX_KEY_DAYS = 1_825;

/** The terms that the owner of a key sets. */
export interface KeyTerms {
  partnerId: string;
  environment: Environment;
  scopes: readonly Scope[];
  name: string | null;
  /** The networks, in CIDR notation, that the key may be used from; null allows all. */
  allowedIps: readonly string[] | null;
  /** When the key expires; null for never. */
  expiresAt: Date | null;
}

/** A newly issued key pair. Its secret can be read only now. */
export interface IssuedKeyPair extends KeyTerms {
  keyId: string;
  secret: string;
}

/** 43 characters of base64url. */
const SECRET_BYTES = 32;

/** Creates a random key pair: `pk_<environment>_…` and `sk_<environment>_…`. */
export function newKeyPair(environment: Environment): { keyId: string; secret: string } {
  const marker = environmentMarker(environment);
  return {
    keyId: `pk_${marker}_${randomBase62(KEY_ID_CHARACTERS)}`,
    secret: `sk_${marker}_${randomBase64Url(SECRET_BYTES)}`,
  };
}
