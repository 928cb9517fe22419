import { MINUTE } from '../../platform/clock.ts';
import type { Registrar } from './registrar.ts';

/** After this time, the person who requested a code has received it or never will. */
export const UNSEEN_MS = 2 * MINUTE;

/** The result of checking a domain whose code is out. */
export interface Sighting {
  found: 'waiting' | 'approved' | 'fetched' | 'cleared';
  requestedBy: string | null;
  /** Whether that registrar's request was rejected. */
  isRejected: boolean;
}

/** An authorization code that was issued and has not been used. */
export interface CodeThatIsOut {
  /** A-labels. */
  domain: string;
  /** The references of the domain's issued codes, the current one first. */
  references: readonly [string, ...string[]];
  /** When the domain became free to move; earlier transfers are unrelated. */
  since: Date;
  /** The only registrar that may request the domain; null for any with the code. */
  gainingRegistrar: string | null;
  /** Whether a transfer with the code may still be approved. */
  isWanted: boolean;
  /** When the code expires; later requests are rejected. Null while unknown. */
  endsAt: Date | null;
  /** Whether the code is to be revoked. */
  isOver: boolean;
}

/**
 * Answers a pending transfer: approves it for the registrar that may request the domain and rejects all others. Revokes
 * a code that is over, unless the domain has been transferred with it.
 */
export async function lookAfterCode(registrar: Registrar, code: CodeThatIsOut): Promise<Sighting> {
  const { domain, references, gainingRegistrar, isWanted } = code;
  const away = await registrar.findTransfer(domain);
  const requestedBy = away?.requestedBy ?? null;
  const isOurs = away?.requestedAt ? away.requestedAt >= code.since : false;
  let isRejected = away?.status === 'rejected' && isOurs;
  if (away?.status === 'approved' && isOurs) {
    return { found: 'fetched', requestedBy, isRejected };
  }
  const [held] = await registrar.inspect([domain]);
  if (!held) return { found: 'fetched', requestedBy, isRejected };
  const isTheirs = gainingRegistrar === null || requestedBy === gainingRegistrar;
  // A newly set code may be about to become usable: the next check answers a request made with it.
  const isEarly = isTheirs && !isWanted && !code.isOver;
  const isLate = away?.requestedAt && code.endsAt && away.requestedAt > code.endsAt;
  if (away?.status === 'pending' && !isEarly) {
    const answer = isWanted && isTheirs && !isLate ? 'approve' : 'reject';
    const [clientReference] = references;
    const request = { clientReference, domain, answer, requestedBy } as const;
    const answered = await registrar.answerTransfer(request);
    if (answered?.status === 'approved') return { found: 'approved', requestedBy, isRejected };
    isRejected = answered?.status === 'rejected';
  }
  if (!code.isOver) return { found: 'waiting', requestedBy, isRejected };
  // The latest code may never have reached the registry, so an earlier one may still work.
  for (const clientReference of references) {
    await registrar.clearAuthCode({ clientReference, domain });
  }
  return { found: 'cleared', requestedBy, isRejected };
}
