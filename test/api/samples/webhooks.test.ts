import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deliveryHeaders } from '../../../shared/messaging/webhooks/webhook-signature.ts';
import { type Language, runCommand, samplesOf, testEach } from '../../support/samples.ts';

const SAMPLES = samplesOf('docs/webhooks.md');
const SECRET = 'a-long-random-secret-of-yours';
/** A secret in the format of generated ones. Its key contains a zero byte. */
const MADE_SECRET = `whsec_${Buffer.from('\0key of thirty-two bytes, 123456').toString('base64')}`;
/** Text of a partner's own that only begins like such a secret: it is no padded base64. */
const OWN_SECRETS = ['whsec_of our shop', 'whsec_c2hvcA', 'whsec_shop-2026_key!'];
const BODY = '{"id":"evt_1","type":"order.recorded","data":{"name":"Käse"}}';
const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

interface Harness {
  /** A program that reads a body and exits with 0 if the sample accepts it. */
  file: string;
  text: string;
  build?: string;
  run: string;
}

const HARNESSES: Partial<Record<Language, Harness>> = {
  Shell: {
    file: 'main.sh',
    text: `. ./verify.sh
if [ -n "$SIGNATURE" ]; then is_genuine "$SECRET" "$SIGNATURE"
else is_genuine_and_fresh "$SECRET" "$ID" "$TIMESTAMP" "$SIGNATURES"; fi`,
    run: 'sh main.sh',
  },
  TypeScript: {
    file: 'main.ts',
    text: `import { readFileSync } from 'node:fs';
import { isGenuine, isGenuineAndFresh } from './verify.ts';
const { SECRET = '', SIGNATURE = '', ID = '', TIMESTAMP = '', SIGNATURES = '' } = process.env;
const raw = readFileSync(0);
const taken = SIGNATURE ? isGenuine(SECRET, raw, SIGNATURE) : isGenuineAndFresh(SECRET, raw, ID, TIMESTAMP, SIGNATURES);
process.exit(taken ? 0 : 1);`,
    build: `node_modules/.bin/tsc --ignoreConfig --noEmit --strict --noUncheckedIndexedAccess --module nodenext --target es2023 --types node verify.ts && node_modules/.bin/esbuild main.ts --bundle --platform=node --format=esm --outfile=main.mjs --log-level=error`,
    run: 'node main.mjs',
  },
  Python: {
    file: 'main.py',
    text: `import os, sys
from verify import is_genuine, is_genuine_and_fresh
env, raw = os.environ, sys.stdin.buffer.read()
secret = env["SECRET"].encode()
if env["SIGNATURE"]:
    taken = is_genuine(secret, raw, env["SIGNATURE"])
else:
    taken = is_genuine_and_fresh(secret, raw, env["ID"], env["TIMESTAMP"], env["SIGNATURES"])
sys.exit(0 if taken else 1)`,
    run: 'python3 main.py',
  },
  Go: {
    file: 'verify_test.go',
    text: `package webhooks
import ("io"; "os"; "testing")
func TestDelivery(t *testing.T) {
	raw, _ := io.ReadAll(os.Stdin)
	secret := []byte(os.Getenv("SECRET"))
	taken := IsGenuineAndFresh(secret, raw, os.Getenv("ID"), os.Getenv("TIMESTAMP"), os.Getenv("SIGNATURES"))
	if os.Getenv("SIGNATURE") != "" { taken = IsGenuine(secret, raw, os.Getenv("SIGNATURE")) }
	if !taken { os.Exit(1) }
}`,
    build: 'go vet verify.go && go test -c -o main.test verify.go verify_test.go',
    run: './main.test',
  },
  PHP: {
    file: 'main.php',
    text: `<?php require 'verify.php';
[$secret, $raw] = [getenv('SECRET'), file_get_contents('php://stdin')];
$taken = getenv('SIGNATURE') !== ''
    ? is_genuine($secret, $raw, getenv('SIGNATURE'))
    : is_genuine_and_fresh($secret, $raw, getenv('ID'), getenv('TIMESTAMP'), getenv('SIGNATURES'));
exit($taken ? 0 : 1);`,
    run: 'php main.php',
  },
};

/** The headers of a delivery sent some seconds ago. */
function headersOf(secondsAgo: number, secret = SECRET, previousSecrets: string[] = []) {
  return deliveryHeaders({
    eventId: 'evt_1',
    eventType: 'order.recorded',
    attempt: 1,
    body: BODY,
    secret,
    previousSecrets,
    now: new Date(Date.now() - secondsAgo * 1_000),
  });
}

describe('the samples of docs/webhooks.md that verify a delivery', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'dm-samples-'));
    symlinkSync(MODULES, join(folder, 'node_modules'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('exist in five languages', () => {
    const languages = SAMPLES.map(({ language }) => language);
    expect(languages).toEqual(['TypeScript', 'Python', 'Go', 'PHP', 'Shell']);
  });

  testEach(
    SAMPLES,
    'accept genuine deliveries and reject altered or old ones',
    async ({ language, file, code }) => {
      const harness = HARNESSES[language] as Harness;
      writeFileSync(join(folder, file), code);
      writeFileSync(join(folder, harness.file), harness.text);
      if (harness.build) {
        const built = await runCommand(harness.build, { cwd: folder });
        expect(built).toEqual({ code: 0, output: '', errors: '' });
      }
      const takes = async (
        signed: Record<string, string>,
        input = BODY,
        secret: string = SECRET,
      ) => {
        const nothing = { SIGNATURE: '', ID: '', TIMESTAMP: '', SIGNATURES: '' };
        const env = { SECRET: secret, ...nothing, ...signed };
        const ran = await runCommand(harness.run, { cwd: folder, env, input });
        // Go prints that its test passed.
        expect({ errors: ran.errors, code: [0, 1].includes(ran.code ?? -1) }).toEqual({
          errors: '',
          code: true,
        });
        return ran.code === 0;
      };
      const byBody = (headers: Record<string, string>) => ({
        SIGNATURE: headers['x-service-signature'] ?? '',
      });
      const byHeaders = (headers: Record<string, string>) => ({
        ID: headers['webhook-id'] ?? '',
        TIMESTAMP: headers['webhook-timestamp'] ?? '',
        SIGNATURES: headers['webhook-signature'] ?? '',
      });
      // Created each time, because they could expire before the last program starts on a slow machine.
      const fresh = () => headersOf(0);
      const made = () => headersOf(0, MADE_SECRET);
      const takesAll = async (secrets: readonly string[]) => {
        const taken: boolean[] = [];
        for (const secret of secrets) {
          taken.push(await takes(byHeaders(headersOf(0, secret)), BODY, secret));
        }
        return taken;
      };
      const verdicts = {
        genuine: [await takes(byBody(fresh())), await takes(byHeaders(fresh()))],
        madeForThem: [
          await takes(byBody(made()), BODY, MADE_SECRET),
          await takes(byHeaders(made()), BODY, MADE_SECRET),
        ],
        beginsLikeThem: [
          await takes(byBody(headersOf(0, OWN_SECRETS[0])), BODY, OWN_SECRETS[0]),
          ...(await takesAll(OWN_SECRETS)),
        ],
        body: [
          await takes(byBody(fresh()), `${BODY} `),
          await takes(byHeaders(fresh()), `${BODY} `),
        ],
        secret: [
          await takes(byBody(headersOf(0, 'another'))),
          await takes(byHeaders(headersOf(0, 'another'))),
        ],
        cutShort: [
          await takes({
            SIGNATURE: createHmac('sha256', SECRET).update(BODY).digest('hex').slice(0, 62),
          }),
          await takes({ ...byHeaders(fresh()), SIGNATURES: 'v1,' }),
        ],
        noSignature: [await takes({ SIGNATURE: 'käse' }), await takes(byHeaders({}))],
        // The signature of the body does not include the time.
        old: [await takes(byBody(headersOf(400))), await takes(byHeaders(headersOf(400)))],
        ahead: [true, await takes(byHeaders(headersOf(-400)))],
        otherTime: [
          true,
          await takes({
            ...byHeaders(headersOf(60)),
            TIMESTAMP: byHeaders(headersOf(30)).TIMESTAMP,
          }),
        ],
        noTime: [
          true,
          await takes({ ...byHeaders(fresh()), TIMESTAMP: '9'.repeat(5_000) }),
          await takes({ ...byHeaders(fresh()), TIMESTAMP: 'now' }),
        ],
        secretInChange: [true, await takes(byHeaders(headersOf(0, 'the new one', [SECRET])))],
      };
      expect(verdicts).toEqual({
        genuine: [true, true],
        madeForThem: [true, true],
        beginsLikeThem: [true, true, true, true],
        body: [false, false],
        secret: [false, false],
        cutShort: [false, false],
        noSignature: [false, false],
        old: [true, false],
        ahead: [true, false],
        otherTime: [true, false],
        noTime: [true, false, false],
        secretInChange: [true, true],
      });
    },
  );
});
