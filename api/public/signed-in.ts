import { fail } from '../../shared/platform/errors.ts';
import type { PublicCaller } from './caller.ts';

/** The user behind a call of a row with a scope. @throws invalid_token when nobody is signed in */
export function userOf(caller: PublicCaller): string {
  if (caller.kind === 'anonymous') throw fail('invalid_token');
  return caller.userId;
}
