import { Type } from 'typebox';
import { type Block, button, facts, note, paragraph } from '../../messaging/mail/letter.ts';
import { domainInLetter, domainInSubject, INSTANT_DATA } from '../../messaging/mail/letter-data.ts';
import { defineMail } from '../../messaging/mail/mail.ts';
import { stopUrl } from './stop-link.ts';

/** The steps of which the owner is notified. */
const STEPS = ['code_issued', 'pending_transfer', 'left', 'expired', 'stopped'] as const;

type ToldStep = (typeof STEPS)[number];

interface Words {
  subject(domain: string): string;
  title: string;
  text: string;
  /** What the owner can still do if somebody else did it. */
  after: 'stop' | 'contact' | null;
}

const WORDS: Readonly<Record<ToldStep, Words>> = {
  code_issued: {
    subject: (domain) => `Authorization code for ${domain}`,
    title: 'Your domain can be moved',
    text: 'Someone signed in to your account requested the authorization code of this domain. Until the code expires, another registrar can use it to request the domain.',
    after: 'stop',
  },
  pending_transfer: {
    subject: (domain) => `${domain} is being moved`,
    title: 'Your domain is being moved',
    text: 'Another registrar requested this domain with its authorization code, and we approved the transfer.',
    after: 'contact',
  },
  left: {
    subject: (domain) => `${domain} has moved`,
    title: 'Your domain has moved',
    text: 'The domain is at another registrar now, and no longer in your account with us.',
    after: 'contact',
  },
  expired: {
    subject: (domain) => `The code for ${domain} has expired`,
    title: 'The authorization code has expired',
    text: 'It was not used, so the domain stays in your account. If you still want to move it, request a new code there.',
    after: null,
  },
  stopped: {
    subject: (domain) => `${domain} stays with you`,
    title: 'Your domain stays where it is',
    text: 'The transfer was stopped: the authorization code no longer works, and the transfer lock is on. If you did not ask for the code, change your password and end your other sessions.',
    after: null,
  },
};

const REJECTED = 'Another registrar requested this domain, and we rejected the request.';
const STAYS =
  'The authorization code has expired. If you still want to move the domain, request a new code in your account.';

/** Notifies the owner of each step of a transfer to another registrar, with a way to stop it. */
export const transferOutMail = defineMail({
  kind: 'transfer-out',
  audience: 'person',
  topic: null,
  security: () => true,
  data: Type.Object({
    id: Type.String(),
    issue: Type.Integer(),
    step: Type.Enum([...STEPS]),
    domain: Type.String(),
    requestedBy: Type.Union([Type.String(), Type.Null()]),
    /** Whether that registrar's request was rejected; missing in older queued mails. */
    isRejected: Type.Optional(Type.Boolean()),
    expiresAt: Type.Union([INSTANT_DATA, Type.Null()]),
    at: INSTANT_DATA,
  }),
  cause: ({ id, issue, step }) => `transfer-out:${id}:${issue}:${step}`,
  example: {
    id: 'tro_01m7yg4ev0e89rzq0ngjrt467r',
    issue: 1,
    step: 'code_issued',
    domain: 'oakdeck.com',
    requestedBy: null,
    expiresAt: '2026-12-06T09:30:00.000Z',
    at: '2026-11-22T09:30:00.000Z',
  },
  async write({ id, step, domain, requestedBy, isRejected, expiresAt, at }, context) {
    const { brand, format } = context;
    const { subject, title, text, after } = WORDS[step];
    const last: Record<'stop' | 'contact', () => Promise<Block[]>> = {
      stop: async () => [
        paragraph('If this was you, you don’t need to do anything. If not, stop it now:'),
        button('This wasn’t me', await stopUrl(context, id)),
        note('The link works without a password. It cancels the code and locks the domain.'),
      ],
      contact: async () => [note(`If this wasn’t you, contact ${brand} right away.`)],
    };
    return {
      subject: subject(domainInSubject(domain)),
      preview: text,
      title,
      blocks: [
        ...(isRejected ? [paragraph(REJECTED)] : []),
        paragraph(step === 'expired' && isRejected ? STAYS : text),
        facts(
          ['Domain', domainInLetter(domain)],
          ['Time', format.instant(at)],
          ['Code expires', expiresAt && format.instant(expiresAt)],
          ['Other registrar', requestedBy],
        ),
        ...(after === null ? [] : await last[after]()),
      ],
    };
  },
});
