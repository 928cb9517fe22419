import type { ScreeningHit } from '../../../../shared/people/screening/read-screening.ts';
import {
  screeningConfirmRelease,
  screeningDecline,
  screeningRelease,
} from '../../actions/screening-actions.ts';
import * as subjects from '../action-subjects.ts';
import { form } from './action-form.ts';

/** The state of a hit that the forms need, and whether the viewer proposed its release. */
export interface HitState extends Pick<ScreeningHit, 'status'> {
  isOwnProposal: boolean;
  holdsUntilReleased: boolean;
}

const hit = { section: 'screening', given: ['hit'], subject: subjects.screeningHit } as const;

const isWaiting = ({ status }: HitState) => status === 'open' || status === 'proposed';

/** Actions on a party that may be on a sanctions list. */
export const SCREENING_FORMS = {
  'screening-release': form({
    ...hit,
    action: screeningRelease,
    link: 'Propose release',
    offered: ({ status, holdsUntilReleased }: HitState) =>
      status === 'open' || (status === 'declined' && holdsUntilReleased),
    title: (name) => `Propose to release ${name}?`,
    effect: 'A second person has to confirm it. Until then everything stays held.',
    button: 'Propose release',
    done: (name) => `The release of ${name} waits for a second person.`,
  }),
  'screening-confirm-release': form({
    ...hit,
    action: screeningConfirmRelease,
    link: 'Confirm release',
    tone: 'primary',
    offered: ({ status, isOwnProposal }: HitState) => status === 'proposed' && !isOwnProposal,
    title: (name) => `Release ${name}?`,
    effect:
      'Everything held by this hit continues, unless something else holds it. The same party and entry will not cause another hold until the entry changes.',
    button: 'Release',
    done: (name) => `${name} is released.`,
  }),
  'screening-decline': form({
    ...hit,
    action: screeningDecline,
    link: 'Decline',
    tone: 'danger',
    offered: isWaiting,
    title: (name) => `Decline ${name}?`,
    effect:
      'An order is canceled, or refunded once its transfer is stopped. A purchase before payment is declined. Neither can be undone. Payouts and delivered domains stay held until two people release the hit after all.',
    button: 'Decline',
    done: (name) => `${name} is declined.`,
  }),
};
