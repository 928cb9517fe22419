import { createHmac } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { installedLanguages, type Language, run } from '../../support/samples.ts';

const SAMPLES = fileURLToPath(new URL('../../../docs/examples/webhooks/', import.meta.url));
const SECRET = 'a-long-random-secret-of-yours';
const BODY = '{"id":"evt_1","type":"order.recorded","data":{"name":"Käse"}}';
const GOOD = createHmac('sha256', SECRET).update(BODY).digest('hex');

/** Programs that read a body, and exit with 0 when the sample takes it for genuine. */
const HARNESSES: Record<Language, { file: string; text: string; args: readonly string[] }> = {
  curl: { file: 'main.sh', text: `exec bash ${SAMPLES}shell/verify.sh`, args: [] },
  typescript: {
    file: 'main.ts',
    text: `import { isGenuine } from '${SAMPLES}typescript/verify.ts';
import { readFileSync } from 'node:fs';
const { SECRET = '', SIGNATURE = '' } = process.env;
process.exit(isGenuine(SECRET, readFileSync(0), SIGNATURE) ? 0 : 1);`,
    args: ['--import', import.meta.resolve('tsx')],
  },
  python: {
    file: 'main.py',
    text: `import os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, "${SAMPLES}python")
from verify import is_genuine
sys.exit(0 if is_genuine(os.environ["SECRET"], sys.stdin.buffer.read(), os.environ["SIGNATURE"]) else 1)`,
    args: [],
  },
  go: {
    file: 'verify_test.go',
    text: `package webhooks
import ("os"; "testing")
func TestIsGenuine(t *testing.T) {
	if !IsGenuine(os.Getenv("SECRET"), []byte(os.Getenv("BODY")), os.Getenv("SIGNATURE")) { t.Fail() }
}`,
    args: ['test', '-count=1', 'verify.go'],
  },
  php: {
    file: 'main.php',
    text: `<?php require '${SAMPLES}php/verify.php';
exit(is_genuine(getenv('SECRET'), file_get_contents('php://stdin'), getenv('SIGNATURE')) ? 0 : 1);`,
    args: [],
  },
};

describe('the samples that verify a webhook', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'dm-samples-'));
    for (const { file, text } of Object.values(HARNESSES)) writeFileSync(join(folder, file), text);
    // Go builds the files of one folder.
    copyFileSync(`${SAMPLES}go/verify.go`, join(folder, 'verify.go'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(installedLanguages())(
    'take what is genuine, and nothing else: %s',
    async (language) => {
      const { file, args } = HARNESSES[language];
      const takes = async (signature: string, body = BODY) => {
        const env = { SECRET, SIGNATURE: signature, BODY: body };
        const { code } = await run(language, [...args, file], { env, input: body, cwd: folder });
        return code === 0;
      };
      expect(await takes(GOOD)).toBe(true);
      const other = createHmac('sha256', 'another secret').update(BODY).digest('hex');
      expect(await takes(other)).toBe(false);
      expect(await takes(GOOD, `${BODY} `)).toBe(false);
      expect(await takes(GOOD.slice(0, 62))).toBe(false);
      expect(await takes('not hex')).toBe(false);
    },
    120_000,
  );
});
