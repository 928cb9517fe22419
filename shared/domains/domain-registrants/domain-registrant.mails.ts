import { Type } from 'typebox';
import { button, facts, note, paragraph } from '../../messaging/mail/letter.ts';
import { domainInLetter, domainInSubject, INSTANT_DATA } from '../../messaging/mail/letter-data.ts';
import { defineMail } from '../../messaging/mail/mail.ts';
import { verificationUrl } from './verification-link.ts';

/** Asks a registrant to confirm their email address (RAA, Whois Accuracy Program Specification). */
export const verifyRegistrantMail = defineMail({
  kind: 'verify-registrant',
  audience: 'person',
  reason: () => 'this is the registrant’s address of a domain registered',
  topic: null,
  data: Type.Object({
    registrantId: Type.String(),
    round: Type.Integer(),
    /** The number of the mail within the round, from 1. */
    mail: Type.Integer(),
    domain: Type.String(),
    verifyBy: INSTANT_DATA,
    held: Type.Boolean(),
  }),
  cause: ({ registrantId, round, mail }) => `verify-registrant:${registrantId}:${round}:${mail}`,
  example: {
    registrantId: 'rgt_01m7yg4ev0e89rzq0ngjrt467r',
    round: 1,
    mail: 1,
    domain: 'oakdeck.com',
    verifyBy: '2026-12-07T09:30:00.000Z',
    held: false,
  },
  async write({ registrantId, round, mail, domain, verifyBy, held }, context) {
    const asked = `Confirm your email address for ${domainInSubject(domain)}`;
    return {
      subject: mail === 1 ? asked : `Reminder: ${asked}`,
      preview: held
        ? 'The domain is out of the DNS until you do.'
        : `Please do it by ${context.format.day(verifyBy)}.`,
      title: 'Confirm your email address',
      blocks: [
        paragraph(
          'This is the registrant’s address of the domain below. Its registry requires us to check that email reaches you.',
        ),
        facts(
          ['Domain', domainInLetter(domain)],
          ['Confirm by', held ? null : context.format.instant(verifyBy)],
        ),
        paragraph(
          held
            ? 'Nobody confirmed the address in time, so the domain is out of the DNS: its website and email do not work. Both will work again soon after you confirm.'
            : 'If nobody confirms it by then, the domain leaves the DNS, and its website and email stop working until someone does.',
        ),
        button('Confirm this address', await verificationUrl(context, { registrantId, round })),
        note('Not your domain? Do nothing, and let us know by replying to this email.'),
      ],
    };
  },
});

/** Tells the old and the new registrant of a domain that the registrant has changed. */
export const registrantChangedMail = defineMail({
  kind: 'registrant-changed',
  audience: 'person',
  reason: ({ whose }) =>
    `this ${whose === 'old' ? 'was' : 'is'} the registrant’s address of a domain registered`,
  topic: null,
  data: Type.Object({
    changeId: Type.String(),
    domain: Type.String(),
    whose: Type.Union([Type.Literal('old'), Type.Literal('new')]),
    at: INSTANT_DATA,
    lockedUntil: Type.Union([INSTANT_DATA, Type.Null()]),
  }),
  cause: ({ changeId, whose }) => `registrant-changed:${changeId}:${whose}`,
  example: {
    changeId: 'rgc_01m7yg4ev0e89rzq0ngjrt467r',
    domain: 'oakdeck.com',
    whose: 'old',
    at: '2026-11-22T09:30:00.000Z',
    lockedUntil: '2027-01-21T09:30:00.000Z',
  },
  write: ({ domain, whose, at, lockedUntil }, { format }) => ({
    subject: `The registrant of ${domainInSubject(domain)} has changed`,
    preview: whose === 'old' ? 'You are no longer its registrant.' : 'You are its registrant now.',
    title: 'The registrant has changed',
    blocks: [
      paragraph(
        whose === 'old'
          ? 'The owner of the domain below changed its registrant: the name, the organization, or the email address. This was the registrant’s address until now.'
          : 'The owner of the domain below named you as its registrant: the person or organization to which it is registered.',
      ),
      facts(
        ['Domain', domainInLetter(domain)],
        ['Changed', format.instant(at)],
        ['Locked against transfers until', lockedUntil && format.instant(lockedUntil)],
      ),
      note('If you did not expect this, let us know by replying to this email.'),
    ],
  }),
});
