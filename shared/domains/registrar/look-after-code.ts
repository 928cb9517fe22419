import { MINUTE } from '../../platform/clock.ts';
import type { Registrar } from './registrar.ts';

/** Whoever asked for a code has it by then, or never gets it. */
export const UNSEEN_MS = 2 * MINUTE;

/** What a look at a domain whose code is out found, or did. */
export interface Sighting {
  found: 'waiting' | 'approved' | 'fetched' | 'cleared';
  requestedBy: string | null;
}

/** An authorization code that was issued and is not used up. */
export interface CodeThatIsOut {
  /** A-labels. */
  domain: string;
  /** The references under which codes of the domain were issued, the present one first. */
  references: readonly [string, ...string[]];
  /** When the domain became free to go; transfers of before are others'. */
  since: Date;
  /** The one registrar that may fetch it; null is any that has the code. */
  gainingRegistrar: string | null;
  /** Whether the domain may still be fetched with it. */
  isWanted: boolean;
  /** When it ends: who asks later comes too late. Null while nobody knows. */
  endsAt: Date | null;
  /** Whether the code is to be taken back. */
  isOver: boolean;
}

/**
 * Answers whoever asks for the domain: yes to the registrar that may fetch it, no to any other. Takes a code that is over
 * back, unless the domain has been fetched with it.
 */
export async function lookAfterCode(registrar: Registrar, code: CodeThatIsOut): Promise<Sighting> {
  const { domain, references, gainingRegistrar, isWanted } = code;
  const away = await registrar.findTransfer(domain);
  const requestedBy = away?.requestedBy ?? null;
  const isOurs = away?.requestedAt && away.requestedAt >= code.since;
  if (away?.status === 'approved' && isOurs) return { found: 'fetched', requestedBy };
  const [held] = await registrar.inspect([domain]);
  if (!held) return { found: 'fetched', requestedBy };
  const isTheirs = gainingRegistrar === null || requestedBy === gainingRegistrar;
  // A code that has just been set may be about to be wanted: who asks with it is answered by the next look.
  const isEarly = isTheirs && !isWanted && !code.isOver;
  const isLate = away?.requestedAt && code.endsAt && away.requestedAt > code.endsAt;
  if (away?.status === 'pending' && !isEarly) {
    const answer = isWanted && isTheirs && !isLate ? 'approve' : 'reject';
    const [clientReference] = references;
    const request = { clientReference, domain, answer, requestedBy } as const;
    const answered = await registrar.answerTransfer(request);
    if (answered?.status === 'approved') return { found: 'approved', requestedBy };
  }
  if (!code.isOver) return { found: 'waiting', requestedBy };
  // The latest may never have reached the registry, so that the one before is still good.
  for (const clientReference of references) {
    await registrar.clearAuthCode({ clientReference, domain });
  }
  return { found: 'cleared', requestedBy };
}
