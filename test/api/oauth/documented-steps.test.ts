import { spawn } from 'node:child_process';
import { expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { givenOwner } from '../../support/oauth.ts';
import { samplesOf } from '../../support/samples.ts';
import { newVisitor, signInAndAllow, startSignInApp } from '../../support/sign-in.ts';

it('the sample of docs/sign-in.md reports the error when the code is invalid', async () => {
  const app = await startSignInApp();
  const [{ code = '' } = {}] = samplesOf('docs/sign-in.md');
  const env = { ...process.env, BASE_URL: app.url };
  const shell = spawn('sh', ['-c', code], { env, stdio: ['pipe', 'ignore', 'pipe'] });
  const ended = new Promise((resolve) => shell.once('close', resolve));
  shell.stdin.end('not-a-code\n');
  let errors = '';
  for await (const chunk of shell.stderr) errors += chunk;
  expect(await ended).not.toBe(0);
  expect(errors).toContain('"error":"invalid_grant"');
  await app.stop();
});

it('the sample of docs/sign-in.md runs as is, from discovery to revocation', async () => {
  const app = await startSignInApp();
  const { email } = await givenOwner(app.runtime);
  const [{ code = '' } = {}] = samplesOf('docs/sign-in.md');
  const shell = spawn('sh', ['-c', code], {
    env: { ...process.env, BASE_URL: app.url },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let said = '';
  shell.stdout.on('data', (chunk) => {
    said += chunk;
  });
  const ended = new Promise((resolve) => shell.once('exit', resolve));

  const link = () => /http\S+\/oauth\/authorize\?\S+/.exec(said)?.[0];
  await eventually(async () => link(), Boolean);
  const answer = await signInAndAllow(newVisitor(app.url), link() ?? '', email);
  shell.stdin.end(`${answer.searchParams.get('code')}\n`);
  expect(await ended).toBe(0);

  expect(said).toContain(`"issuer":"${app.url}"`);
  expect(said).toContain('"items":[');
  const { rows } = await app.runtime.db.knex.raw(
    `select revoked_at, (select count(*) from oauth_tokens t where t.grant_id = g.id
       and kind = 'AccessToken') as issued from oauth_grants g`,
  );
  expect(rows).toEqual([{ revoked_at: expect.any(Date), issued: 2 }]);
  await app.stop();
});
