import { Secret, TOTP } from 'otpauth';
import type { Clock } from '../../platform/clock.ts';

const ISSUER = 'Marketplace';

/** Returns the context that the sealed secret of an account's authenticator app is bound to. */
export const sealContext = (userId: string) => `authenticator:${userId}`;

/** Returns the code generator of an app with this secret (RFC 6238). */
export function totpOf(secret: string, label: string): TOTP {
  return new TOTP({ issuer: ISSUER, label, secret: Secret.fromBase32(secret) });
}

/** Returns the time step of a code: the current one or a neighbor, since clocks differ. Undefined for a wrong code. */
export function stepOf(clock: Clock, totp: TOTP, code: string): number | undefined {
  const timestamp = clock.now().getTime();
  const delta = totp.validate({ token: code.replace(/\s/g, ''), timestamp, window: 1 });
  return delta === null ? undefined : totp.counter({ timestamp }) + delta;
}
