import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Type } from 'typebox';
import { ANY_TEXT, bodyValidator, oneLineValidator } from '../../../api/http/validate.ts';
import { opsRoutes } from '../../../api/ops/ops-routes.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { givenOps, type OpsClient } from '../../support/ops-client.ts';
import { runOps } from '../../support/ops-command.ts';

const NO_LINES = ['a\r\nBcc: b', 'a\u0000', 'a\u001b[2J', 'a\u0085b', 'a\u202eb', 'a\u2028b'];

/** The text fields of action bodies, without notes and secrets. */
const texts = opsRoutes
  .filter(({ method }) => method === 'POST')
  .flatMap((route) =>
    Object.entries(route.action.input.properties as Record<string, Record<string, unknown>>)
      .filter(
        ([name, { type, enum: words, anyText, writeOnly }]) =>
          type === 'string' && !words && !anyText && !writeOnly && !route.path.includes(`:${name}`),
      )
      .map(([name]) => [route.action.name, name, route.path] as const),
  );

let app: TestApp;
let ops: OpsClient;
beforeAll(async () => {
  app = await startTestApp();
  ops = await givenOps(app);
});
afterAll(() => app?.stop());

describe('single-line text in ops actions', () => {
  it('covers most text fields', () => {
    expect(texts.length).toBeGreaterThan(20);
  });

  it.each(texts)(
    '%s, %s: rejects line breaks and control characters',
    async (_action, name, path) => {
      const at = path.replaceAll(/:\w+/g, 'x');
      for (const text of NO_LINES) {
        const { status, body } = await ops.post(at, { [name]: text });
        const paths = body.error?.details?.map((fault: { path: string }) => fault.path) ?? [];
        expect([status, body.error?.code, paths]).toEqual([400, 'validation_error', [`/${name}`]]);
      }
    },
  );

  it('is enforced by commands too', async () => {
    const args = ['partner:brand', '--partner', 'ptr_x', '--display-name', 'a\nb', '--json'];
    expect(await runOps(app.runtime, args)).toMatchObject({
      code: 1,
      error: { code: 'validation_error', details: [{ path: '--display-name' }] },
    });
  });

  it('allows multi-line text and secrets where the schema marks them', () => {
    const schema = Type.Object({
      name: Type.String(),
      tags: Type.Array(Type.String()),
      note: Type.String(ANY_TEXT),
      password: Type.String({ writeOnly: true }),
    });
    const check = oneLineValidator(schema, bodyValidator(schema));
    const good = { name: 'مرحبا\u200f é', tags: ['b'], note: 'a\nb', password: 'a\u0007b' };
    expect(check(good)).toEqual(good);
    expect(() => check({ ...good, tags: ['b', 'c\n'] })).toThrow(
      expect.objectContaining({ details: [expect.objectContaining({ path: '/tags/1' })] }),
    );
  });
});
