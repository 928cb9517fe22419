import { Type } from 'typebox';
import { button, facts, note, paragraph } from '../../messaging/mail/letter.ts';
import { domainInLetter, INSTANT_DATA } from '../../messaging/mail/letter-data.ts';
import { defineMail } from '../../messaging/mail/mail.ts';
import { verificationUrl } from './verification-link.ts';

/** Asks whoever a domain is registered for whether the address is theirs (RAA, Whois Accuracy Program Specification). */
export const verifyRegistrantMail = defineMail({
  kind: 'verify-registrant',
  audience: 'person',
  topic: null,
  data: Type.Object({
    registrantId: Type.String(),
    round: Type.Integer(),
    /** Counts the mails of a round, from 1. */
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
    const asked = `Confirm your email address for ${domain}`;
    return {
      subject: mail === 1 ? asked : `Reminder: ${asked}`,
      preview: held
        ? 'The domain is out of the DNS until you do.'
        : `Please do it by ${context.format.day(verifyBy)}.`,
      title: 'Confirm your email address',
      blocks: [
        paragraph(
          'This address is the one of the registrant of the domain below. Its registry wants to know that mail reaches you.',
        ),
        facts(
          ['Domain', domainInLetter(domain)],
          ['Confirm by', held ? null : context.format.instant(verifyBy)],
        ),
        paragraph(
          held
            ? 'Nobody confirmed the address in time, so the domain is out of the DNS: its website and mail do not work. Both return soon after you confirm.'
            : 'If nobody confirms it by then, the domain leaves the DNS: its website and mail stop working until somebody does.',
        ),
        button('Confirm this address', await verificationUrl(context, { registrantId, round })),
        note('Not your domain? Then do nothing, and tell us by answering this mail.'),
      ],
    };
  },
});
