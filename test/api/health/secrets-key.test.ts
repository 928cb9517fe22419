import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { givenPartner } from '../../support/factories.ts';
import { secretsKey } from '../../support/secrets-key.ts';
import { spawnProgram } from '../../support/service-process.ts';

describe('a SECRETS_KEY that is not the key of the database', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
    await givenPartner(app.runtime);
  });
  afterAll(() => app.stop());

  it.each(['api/main.ts', 'workers/main.ts'])(
    'prevents %s from starting, with an explanation of what to change',
    async (main) => {
      const env = { ...app.runtime.env, SECRETS_KEY: secretsKey(2).toString('base64') };
      const child = spawnProgram([main], env, ['ignore', 'ignore', 'pipe']);
      let words = '';
      child.stderr?.on('data', (part) => {
        words += part;
      });
      const code = await new Promise((resolve) => child.once('close', resolve));
      expect(code).toBe(1);
      expect(words).toContain('SECRETS_KEY is not the key of this database');
      expect(words).toContain('SECRETS_KEY_PREVIOUS');
    },
  );
});
