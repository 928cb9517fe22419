import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TSchema } from 'typebox';
import { bodyValidator } from '../../api/http/validate.ts';
import { accountCommands } from '../../api/pages/account/account-site.ts';
import { inputCheck } from '../../api/pages/kit/page-command.ts';
import { siteCommands } from '../../api/pages/partner/site-router.ts';
import { partnerRoutes } from '../../api/partner/partner-router.ts';
import { publicRoutes } from '../../api/public/public-router.ts';
import { requestSignUp } from '../../shared/people/members/sign-up.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { buyerWith, CARDS, givenSession, ordersOf, sendForm } from '../support/checkout.ts';

const NO_LINES = ['\r', '\n', '\u0000', '\u001b', '\u0085', '\u2028', '\u2029', '\u202e'];
const NOT_ONE_LINE = 'must be one line, without control characters';

/** Body fields that may contain line breaks, and why. All other fields are single-line. */
const OTHER_TEXTS: Readonly<Record<string, string>> = {
  note: 'a note has lines',
  secret: 'it is bytes, and never shown',
  domain: 'it is trimmed, and read as a name',
  'domains/*': 'each is trimmed and read as a name, and refused alone',
  'nameservers/*': 'each is trimmed and read as a name',
  q: 'it is trimmed, and searched for',
  'tlds/*': 'each is trimmed and read as a suffix',
  digest: 'its white space is dropped, and it is read as hexadecimal digits',
  op: 'it is looked up',
};

interface Shape {
  type?: string;
  enum?: unknown;
  const?: unknown;
  anyOf?: readonly Shape[];
  properties?: Readonly<Record<string, Shape>>;
  patternProperties?: Readonly<Record<string, Shape>>;
  items?: Shape;
}

/** The text fields of a schema, with their paths. */
function textsIn(shape: Shape, path: readonly string[] = []): [string, Shape][] {
  const { properties = {}, patternProperties = {}, items, anyOf = [] } = shape;
  const isText = shape.type === 'string' && !shape.enum && shape.const === undefined;
  return [
    ...(isText ? [[path.join('/'), shape] as [string, Shape]] : []),
    ...anyOf.flatMap((each) => textsIn(each, path)),
    ...Object.entries(properties).flatMap(([name, each]) => textsIn(each, [...path, name])),
    ...Object.values(patternProperties).flatMap((each) => textsIn(each, [...path, '*'])),
    ...(items ? textsIn(items, [...path, '*']) : []),
  ];
}

const GOOD = [
  '',
  'x'.repeat(24),
  'a@b.example',
  'https://a.example/x',
  '2026-11-22',
  '2026-11-22T09:30:00Z',
  'USD',
  'DE',
  '15m',
];

/** A text with a line break or control character that the schema accepts; undefined if none. */
function takenBy(shape: Shape): string | undefined {
  const check = bodyValidator(shape as TSchema);
  const texts = NO_LINES.flatMap((end) =>
    GOOD.flatMap((text) => [end + text, `${text.slice(0, 2)}${end}${text.slice(2)}`, text + end]),
  );
  return texts.find((text) => {
    try {
      check(text);
      return true;
    } catch {
      return false;
    }
  });
}

const bodies = [...partnerRoutes, ...publicRoutes].flatMap(({ method, path, body }) =>
  textsIn((body ?? {}) as Shape).map(
    ([field, shape]) => [`${method} ${path}`, field, shape] as const,
  ),
);
/** Returns `domains/*` for `domains/*` and `secret` for `endpoint/secret`. */
const nameOf = (field: string) => /[^/]+(\/\*)?$/.exec(field)?.[0] ?? '';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ MAIL: 'on' });
});
afterAll(() => app?.stop());

describe('single-line text in API bodies', () => {
  const lines = bodies.filter(([, field]) => OTHER_TEXTS[nameOf(field)] === undefined);

  it('covers most text fields', () => {
    expect(lines.length).toBeGreaterThan(30);
  });

  it.each(lines)('%s, %s: rejects line breaks and control characters', (_route, _field, shape) => {
    expect(takenBy(shape)).toBeUndefined();
  });

  it('excludes only the fields listed here', () => {
    const others = bodies.filter(([, , shape]) => takenBy(shape) !== undefined);
    const names = new Set(others.map(([, field]) => nameOf(field)));
    expect([...names].sort()).toEqual(Object.keys(OTHER_TEXTS).sort());
  });

  it('is rejected with the name of the field and an explanation', async () => {
    const partner = await app.partner();
    const body = { kind: 'product', product: 'cards', label: 'Spring\r\nBcc: b' };
    const answer = await partner.client.post('/v1/links', { body }).expect(400);
    expect(answer.body.error).toMatchObject({
      code: 'validation_error',
      details: [{ path: '/label', message: NOT_ONE_LINE }],
    });
    const buyer = { email: 'buyer@example.com', name: 'A\u2028Buyer' };
    const order = await partner.client
      .post('/v1/orders', { body: { buyer }, headers: { 'Idempotency-Key': 'one-line' } })
      .expect(400);
    expect(order.body.error.details).toContainEqual({ path: '/buyer/name', message: NOT_ONE_LINE });
  });
});

describe('single-line text in forms', () => {
  const fields = [...siteCommands, ...accountCommands].flatMap(({ path, input }) =>
    Object.entries(input.properties as Record<string, Record<string, unknown>>)
      .filter(
        ([name, { type, enum: words, anyText, writeOnly }]) =>
          type === 'string' && !words && !anyText && !writeOnly && !path.includes(`:${name}`),
      )
      .map(([name]) => [path, name, input] as const),
  );

  it.each(fields)('%s, %s: rejects line breaks and control characters', (_path, name, input) => {
    const check = inputCheck({ input });
    for (const end of NO_LINES) {
      expect(() => check({ [name]: `a${end}b` })).toThrow(
        expect.objectContaining({ details: [{ path: `/${name}`, message: NOT_ONE_LINE }] }),
      );
    }
  });

  it('includes the buyer’s name at checkout and the company at sign-up', async () => {
    const { client } = await app.partner();
    const session = await givenSession(app, client);
    const fieldsOfBuyer = { ...buyerWith(CARDS.good), name: 'A. Buyer\r\nBcc: b' };
    const answer = await sendForm(session.url, 'pay', fieldsOfBuyer);
    expect(answer.text).toContain('Use one line, without control characters.');
    expect(await ordersOf(app, session.id)).toEqual([]);
    const given = { company: 'Larkspur\nYou won', email: 'new@larkspur.example' };
    await expect(requestSignUp(app.runtime, given)).rejects.toMatchObject({
      details: [{ path: '/company', message: NOT_ONE_LINE }],
    });
  });
});
