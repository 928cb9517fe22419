import { addMs, DAY } from '../shared/platform/clock.ts';
import { nextNumber, type RegistryContext } from './registry-rules.ts';

/** Label prefixes that put a made-up domain in the account `elsewhere`. */
const ELSEWHERE = /^(?:elsewhere|locked|young)-/;
/** The authorization code of every made-up domain. */
const MADE_UP_CODE = 'demo-code-1A!';
const AGE_DAYS = 100;
const YOUNG_DAYS = 10;
const YEAR_DAYS = 365;

/**
 * Registers an unregistered domain, so that every domain on the market exists: in the account `marketplace`, or, for
 * labels that begin with `elsewhere-`, `locked-` or `young-`, in the account `elsewhere`. The last two cannot be
 * transferred.
 */
export function registerMadeUp(
  { state, clock }: Pick<RegistryContext, 'state' | 'clock'>,
  name: string,
) {
  if (Object.hasOwn(state.domains, name) || !name.includes('.')) return;
  const now = clock.now();
  const clID = ELSEWHERE.test(name) ? 'elsewhere' : 'marketplace';
  const createdAt = addMs(now, -(name.startsWith('young-') ? YOUNG_DAYS : AGE_DAYS) * DAY);
  state.domains[name] = {
    roid: `D${nextNumber(state)}-DEMO`,
    statuses: name.startsWith('locked-') ? ['clientTransferProhibited'] : [],
    registrant: null,
    contacts: [],
    nameservers: [],
    clID,
    crID: clID,
    createdAt: createdAt.toISOString(),
    updatedAt: null,
    expiresAt: addMs(now, YEAR_DAYS * DAY).toISOString(),
    transferredAt: null,
    authInfo: MADE_UP_CODE,
    dsData: [],
    rgpStatus: null,
    transfer: null,
  };
}
