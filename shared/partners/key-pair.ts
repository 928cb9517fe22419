import type { Environment } from '../platform/config.ts';
import { randomBase62, randomBase64Url } from '../platform/ids.ts';
import { environmentMarker, KEY_ID_CHARACTERS, type Scope } from './credential.ts';

/** A key pair at the one moment at which its secret can be read. */
export interface IssuedKeyPair {
  keyId: string;
  secret: string;
  partnerId: string;
  environment: Environment;
  scopes: readonly Scope[];
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
