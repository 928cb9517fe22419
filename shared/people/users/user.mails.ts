import { type Static, Type } from 'typebox';
import { button, facts, note, paragraph } from '../../messaging/mail/letter.ts';
import { INSTANT_DATA } from '../../messaging/mail/letter-data.ts';
import { defineMail, type LetterContext, type MailKind } from '../../messaging/mail/mail.ts';
import { nameOfPerson } from '../../messaging/mail/mail-text.ts';

const LINK_DATA = Type.Object({
  /** The id of the request, such as a row's id. Each new request sends a new mail. */
  requestId: Type.String(),
  /** The path of the link's page, from the root of the site. */
  path: Type.String({ pattern: '^/' }),
  expiresAt: INSTANT_DATA,
});

/**
 * Creates a link that lets its recipient do one thing. It is signed when the mail is written, so it is not stored. The
 * page verifies `t` for `purpose` (the kind of the mail) and finds the request by the token's subject.
 */
async function signedLink(
  { config, tokens }: LetterContext,
  purpose: MailKind,
  { requestId, path, expiresAt }: Static<typeof LINK_DATA>,
): Promise<string> {
  const token = await tokens.sign(purpose, { sub: requestId }, new Date(expiresAt));
  return `${config.baseUrl}${path}?t=${encodeURIComponent(token)}`;
}

const EXPIRY = '2026-11-22T10:00:00.000Z';

/** Asks the recipient to confirm their address. */
export const verifyEmailMail = defineMail({
  kind: 'verify-email',
  audience: 'person',
  topic: null,
  data: LINK_DATA,
  cause: ({ requestId }) => `verify-email:${requestId}`,
  example: { requestId: 'example', path: '/account/verify', expiresAt: EXPIRY },
  write: async (data, context) => ({
    subject: 'Confirm your email address',
    preview: `Confirm this address for your account at ${context.brand}.`,
    title: 'Confirm your email address',
    blocks: [
      paragraph(
        `Confirm that this address is yours to use it for your account at ${context.brand}.`,
      ),
      button('Confirm address', await signedLink(context, 'verify-email', data)),
      note(`The link works once, until ${context.format.instant(data.expiresAt)}.`),
      note('Not you? You can ignore this email.'),
    ],
  }),
});

/** Invites somebody to join an account. */
export const invitationMail = defineMail({
  kind: 'invitation',
  audience: 'person',
  reason: () => 'someone invited this address to an account',
  topic: null,
  data: Type.Object({
    ...LINK_DATA.properties,
    /** The name of the partner, or of our staff team. */
    account: Type.String(),
    /** Whether our staff approved the account. Names that staff have not approved stay out of the subject. */
    approved: Type.Optional(Type.Boolean()),
    role: Type.String(),
    invitedBy: Type.Union([Type.String(), Type.Null()]),
  }),
  cause: ({ requestId }) => `invitation:${requestId}`,
  example: {
    requestId: 'example',
    path: '/invitation',
    expiresAt: '2026-11-29T09:30:00.000Z',
    account: 'Larkspur',
    approved: true,
    role: 'developer',
    invitedBy: 'robin@partner.example',
  },
  async write(data, context) {
    const account = data.approved ? data.account : 'a partner account';
    return {
      subject: `You are invited to ${account}`,
      preview: `Join ${account} at ${context.brand}.`,
      title: `Join ${account}`,
      blocks: [
        paragraph(`You are invited to work with ${account} at ${context.brand}.`),
        facts(
          ['Account', data.approved ? data.account : nameOfPerson(data.account)],
          ['Role', data.role],
          ['Invited by', data.invitedBy],
        ),
        button('Accept invitation', await signedLink(context, 'invitation', data)),
        note(`The link works once, until ${context.format.instant(data.expiresAt)}.`),
        note('Not expecting this? You can ignore this email.'),
      ],
    };
  },
});

/** Sends a link to choose a new password, or says that the address has no account. */
export const passwordResetMail = defineMail({
  kind: 'password-reset',
  audience: 'person',
  topic: null,
  security: ({ noAccount }) => !noAccount,
  data: Type.Object({
    ...LINK_DATA.properties,
    /** Whether nobody can sign in with the address. */
    noAccount: Type.Optional(Type.Boolean()),
  }),
  cause: ({ requestId }) => `password-reset:${requestId}`,
  example: { requestId: 'example', path: '/password-reset', expiresAt: EXPIRY },
  write: async (data, context) =>
    data.noAccount ? noAccountLetter(context) : resetLetter(data, context),
});

async function resetLetter(data: Static<typeof LINK_DATA>, context: LetterContext) {
  return {
    subject: 'Reset your password',
    preview: `Choose a new password for your account at ${context.brand}.`,
    title: 'Reset your password',
    blocks: [
      paragraph(`Someone requested a new password for your account at ${context.brand}.`),
      button('Choose a new password', await signedLink(context, 'password-reset', data)),
      note(`The link works once, until ${context.format.instant(data.expiresAt)}.`),
      note('Not you? Ignore this email; your password will not change.'),
    ],
  };
}

/** The letter to somebody who may not know us. It says only what was requested. */
function noAccountLetter({ brand }: LetterContext) {
  return {
    subject: 'No account with this address',
    preview: `Nobody can sign in at ${brand} with this address.`,
    title: 'No account with this address',
    blocks: [
      paragraph(
        `Someone requested a new password at ${brand}, but nobody can sign in there with this address.`,
      ),
      note('Not you? You can ignore this email.'),
    ],
  };
}

/** Tells a user about a sign-in from a new device. */
export const newSignInMail = defineMail({
  kind: 'new-sign-in',
  audience: 'person',
  topic: null,
  security: () => true,
  data: Type.Object({
    sessionId: Type.String(),
    at: INSTANT_DATA,
    /** Such as `Firefox on Linux`. */
    device: Type.Union([Type.String(), Type.Null()]),
    path: Type.String({ pattern: '^/' }),
  }),
  cause: ({ sessionId }) => `new-sign-in:${sessionId}`,
  example: {
    sessionId: 'example',
    at: '2026-11-22T09:30:00.000Z',
    device: 'Firefox on Linux',
    path: '/account/sessions',
  },
  write: ({ at, device, path }, { format, config, brand }) => ({
    subject: 'New sign-in to your account',
    preview: `Someone signed in to your account at ${brand}.`,
    title: 'New sign-in to your account',
    blocks: [
      paragraph(
        `Someone signed in to your account at ${brand}. If this was you, you don’t need to do anything.`,
      ),
      facts(['When', format.instant(at)], ['Device', device]),
      paragraph('Not you? End that session and change your password.'),
      button('Review sessions', config.baseUrl + path),
    ],
  }),
});

/** Returns the article for a noun: `An` authenticator app, `A` passkey. */
function article(noun: string): string {
  return /^[aeiou]/i.test(noun) ? 'An' : 'A';
}

/** Tells a user that a second factor was added or removed. */
export const secondFactorMail = defineMail({
  kind: 'second-factor-changed',
  audience: 'person',
  topic: null,
  security: () => true,
  data: Type.Object({
    changeId: Type.String(),
    change: Type.Union([Type.Literal('added'), Type.Literal('removed')]),
    /** Such as `passkey` or `authenticator app`. */
    factor: Type.String(),
    at: INSTANT_DATA,
    path: Type.String({ pattern: '^/' }),
  }),
  cause: ({ changeId }) => `second-factor-changed:${changeId}`,
  example: {
    changeId: 'example',
    change: 'added' as const,
    factor: 'passkey',
    at: '2026-11-22T09:30:00.000Z',
    path: '/account/security',
  },
  write: ({ change, factor, at, path }, { format, config, brand }) => ({
    subject: `${article(factor)} ${factor} was ${change}`,
    preview: `The second factor of your account at ${brand} changed.`,
    title: `${article(factor)} ${factor} was ${change}`,
    blocks: [
      paragraph(`The second factor of your account at ${brand} changed.`),
      facts(['What', `${factor} ${change}`], ['When', format.instant(at)]),
      paragraph('Not you? Change your password and review your security settings now.'),
      button('Review security settings', config.baseUrl + path),
    ],
  }),
});
