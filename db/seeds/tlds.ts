import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { importTlds } from '../../shared/market/tlds/import-tlds.ts';
import type { Database } from '../../shared/messaging/unit-of-work/database.ts';
import type { Clock } from '../../shared/platform/clock.ts';

/** The one source of what each TLD costs and asks; production takes it over with `tld:import`. */
const FILE = new URL('./tlds.ndjson', import.meta.url);

/** Names this edition of the data file. */
export async function tldEdition(): Promise<string> {
  return createHash('sha256')
    .update(await readFile(FILE))
    .digest('hex')
    .slice(0, 16);
}

/** Takes the TLDs over from the data file. @throws Error when a row of it is bad */
export async function seedTlds(runtime: { db: Database; clock: Clock }): Promise<void> {
  await importTlds(runtime, {
    source: createReadStream(FILE),
    onRejected({ line, reason }) {
      throw new Error(`tlds.ndjson, line ${line}: ${reason}`);
    },
  });
}
