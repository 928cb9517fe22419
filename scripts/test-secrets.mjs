// Runs the tests (all, or those given as arguments), records every log line and every Redis key before it is deleted,
// and searches them for secrets and personal data. Takes longer than the tests alone.
import { createReadStream, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { ensureDependencies } from './lib/dependencies.mjs';
import { main, say } from './lib/project.mjs';
import { runJest } from './lib/run-jest.mjs';
import { withShutdown } from './lib/shutdown.mjs';

/** Patterns that must not occur; the second group is data that the tests use. */
const FORBIDDEN = {
  'secret of a key pair': /\bsk_(?:sandbox|live)_[\w-]{20,}/,
  'bearer token': /\bBearer [\w.~+/-]{20,}/,
  'private key': /-----BEGIN [A-Z ]*PRIVATE KEY/,
  'field that is to be redacted':
    /"(?:secret|password|token|signature|authorization|cookie|secret_ciphertext|cvc|card_number)\\?":\s*\\?"(?!\[redacted\])[^"\\]/i,
  'password in an address': /\b(?:postgres|postgresql|redis|rediss):\/\/[^\s:@/"]*:[^\s@/"]+@/,

  'webhook secret of the tests': /a-secret-of-sixteen-or-more|sixteen-characters-or-more/,
  'password of the tests': /a long enough password/,
  'card of the tests': /\b(?:4242424242424242|4000000000000002)\b/,
  'buyer of the tests': /\bbuyer@example\.com\b|"A\. Buyer"/,
};

/** Data that tests plant on purpose, to check that viewers don't see it. */
const PLANTED = /whsec_hidden|canary/;

await main(() =>
  withShutdown(async (shutdown) => {
    await ensureDependencies();
    const folder = mkdtempSync(path.join(tmpdir(), 'dm-leavings-'));
    shutdown.add(async () => rmSync(folder, { recursive: true, force: true }));
    const code = await runJest(shutdown, process.argv.slice(2), { TEST_LEAVINGS: folder });
    const { lines, found } = await search(folder);
    say(
      `Searched ${lines} lines of logs and keys of Redis for ${Object.keys(FORBIDDEN).length} kinds of secrets.`,
    );
    for (const [what, examples] of found) {
      say(`FOUND ${what}, ${examples.length} times:\n  ${examples.slice(0, 3).join('\n  ')}`);
    }
    return found.size > 0 ? 1 : code;
  }),
);

async function search(folder) {
  const found = new Map();
  let lines = 0;
  for (const file of readdirSync(folder)) {
    for await (const line of createInterface({
      input: createReadStream(path.join(folder, file)),
    })) {
      lines += 1;
      if (PLANTED.test(line)) continue;
      for (const [what, pattern] of Object.entries(FORBIDDEN)) {
        const at = line.search(pattern);
        if (at < 0) continue;
        const examples = found.get(what) ?? [];
        examples.push(`${file}: ...${line.slice(Math.max(0, at - 120), at + 60)}...`);
        found.set(what, examples);
      }
    }
  }
  return { lines, found };
}
