import type { Caller } from '../partners/credential.ts';
import { fail } from '../platform/errors.ts';

/** @throws forbidden when the credential's partner is not linked to an affiliate account */
export function assertAffiliate(caller: Caller): void {
  if (caller.affiliateId) return;
  throw fail('forbidden', {
    message:
      'The partner of this credential is not linked to an affiliate account. Ask the operator of the marketplace to link one.',
  });
}
