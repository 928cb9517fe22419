import { Type } from 'typebox';
import { facts, note, paragraph } from '../../messaging/mail/letter.ts';
import { domainInLetter, domainInSubject, INSTANT_DATA } from '../../messaging/mail/letter-data.ts';
import { defineMail } from '../../messaging/mail/mail.ts';

const STEPS = ['taken', 'returned', 'released'] as const;
type Step = (typeof STEPS)[number];

interface Words {
  subject(domain: string): string;
  title: string;
  text: string;
  /** What the owner does now; `brand` names us. */
  after(brand: string): string;
}

const WORDS: Readonly<Record<Step, Words>> = {
  taken: {
    subject: (domain) => `${domain} is at another registrar`,
    title: 'Your domain is at another registrar',
    text: 'The registry moved this domain to another registrar. You did not ask us for an authorization code, and we did not approve the transfer. We are looking into it and will ask the registry to undo it. If the domain was for sale, it is off the market.',
    after: (brand) =>
      `You can’t change or renew the domain here meanwhile. If you moved it yourself, or know who did, contact ${brand} right away.`,
  },
  returned: {
    subject: (domain) => `${domain} is back`,
    title: 'Your domain is back',
    text: 'The domain is with our registrar again, and you can manage it in your account as before.',
    after: () =>
      'Check its nameservers, its registrant and its transfer lock: the other registrar may have changed them.',
  },
  released: {
    subject: (domain) => `${domain} is no longer in your account`,
    title: 'Your domain is no longer in your account',
    text: 'The domain stays at the other registrar, so we removed it from your account.',
    after: (brand) => `If you did not agree to this, contact ${brand} right away.`,
  },
};

/** Tells an owner that another registrar has taken their domain, and how it ended. */
export const domainTakenMail = defineMail({
  kind: 'domain-taken',
  audience: 'person',
  topic: null,
  security: () => true,
  data: Type.Object({
    step: Type.Enum([...STEPS]),
    domain: Type.String(),
    /** The other registrar, by its ID at the registry. */
    registrar: Type.Union([Type.String(), Type.Null()]),
    at: INSTANT_DATA,
  }),
  cause: ({ domain, step, at }) => `domain-taken:${domain}:${step}:${at}`,
  example: {
    step: 'taken',
    domain: 'oakdeck.com',
    registrar: '1234',
    at: '2026-11-22T09:30:00.000Z',
  },
  async write({ step, domain, registrar, at }, { brand, format }) {
    const { subject, title, text, after } = WORDS[step];
    return {
      subject: subject(domainInSubject(domain)),
      preview: text,
      title,
      blocks: [
        paragraph(text),
        facts(
          ['Domain', domainInLetter(domain)],
          ['Time', format.instant(at)],
          ['Other registrar', registrar],
        ),
        note(after(brand)),
      ],
    };
  },
});
