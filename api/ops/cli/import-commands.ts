import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { SingleBar } from 'cli-progress';
import { Type } from 'typebox';
import { grantDomainsOfFile } from '../../../shared/domains/domain-grants/grant-domains.ts';
import {
  type ImportCounts,
  importListings,
} from '../../../shared/market/inventory/import-listings.ts';
import { importTlds } from '../../../shared/market/tlds/import-tlds.ts';
import { importTransferPolicies } from '../../../shared/market/tlds/transfer-policies.ts';
import { recordAudit } from '../../../shared/people/audit/audit-log.ts';
import { importList } from '../../../shared/people/screening/import-list.ts';
import { invalid } from '../../../shared/platform/errors.ts';
import { LIST_NAME } from '../../../shared/platform/json-schema.ts';
import type { RejectedLine } from '../../../shared/platform/line-reader.ts';
import { DomainGrantInput, domainGrant } from '../actions/domain-actions.ts';
import { EnvironmentField, type OpsAnswer, type OpsContext, opsAction } from '../ops-action.ts';

/** How many rejected rows are printed; the rest is only counted. */
const MAX_REJECTIONS = 100;

/** Returns a failure if nothing in the file could be imported. */
function exitCodeOfImport({ rejected, ...counts }: OpsAnswer): number {
  const taken = Object.values(counts).some((count) => typeof count === 'number' && count > 0);
  return rejected === 0 || rejected === undefined || taken ? 0 : 1;
}

/** Returns the size in bytes of a file for a command. @throws validation_error when it is not a file */
async function sizeOfFile(file: string): Promise<number> {
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) {
    throw invalid([{ path: '/file', message: `is not a readable file: ${file}` }]);
  }
  return found.size;
}

export const listingImport = opsAction({
  name: 'listing:import',
  summary: 'List every domain of a CSV or NDJSON file; running it again is safe',
  input: Type.Object({
    environment: EnvironmentField,
    file: Type.String({
      description:
        'CSV with a header, or NDJSON: domain, price_cents, currency, floor_price_cents, offers_accepted, description, category, keywords. Listings keep terms without a column.',
    }),
  }),
  exitCode: exitCodeOfImport,
  async run(context, { environment, file }) {
    await sizeOfFile(file);
    const format = /\.(ndjson|jsonl|json)$/i.test(file) ? 'ndjson' : 'csv';
    const source = createReadStream(file);
    const bar = progressBar(await countLines(file));
    const rejections: RejectedLine[] = [];
    let counts: ImportCounts;
    try {
      counts = await importListings(context, {
        environment,
        source,
        format,
        onProgress: (soFar, line) => bar.update(line, { ...soFar }),
        onRejected: (row) => {
          if (rejections.length < MAX_REJECTIONS) rejections.push(row);
        },
      });
    } finally {
      bar.stop();
      source.destroy();
    }
    await context.db.transact((uow) =>
      recordAudit(uow, {
        actor: context.actor,
        action: 'listing:import',
        subject: environment,
        after: { file, ...counts },
      }),
    );
    return { ...counts, ...(rejections.length > 0 && { rejections }) };
  },
});

/** Counts lines for the progress bar: bytes read would overstate it, because the file is read ahead of the writes. */
async function countLines(file: string): Promise<number> {
  let lines = 1;
  for await (const chunk of createReadStream(file)) {
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1;
  }
  return lines;
}

/** Creates a progress bar on standard error, shown only in a terminal. */
function progressBar(lines: number): SingleBar {
  const bar = new SingleBar({
    format:
      '{bar} {percentage}% | {inserted} inserted, {updated} updated, {unchanged} unchanged, {rejected} rejected',
    stream: process.stderr,
    noTTYOutput: false,
    hideCursor: true,
    clearOnComplete: true,
  });
  if (!process.argv.includes('--json')) {
    bar.start(lines, 0, { inserted: 0, updated: 0, unchanged: 0, rejected: 0 });
  }
  return bar;
}

export const tldImport = rulesImport({
  name: 'tld:import',
  summary: 'Import prices and rules of TLDs from an NDJSON file; other TLDs do not change',
  file: 'NDJSON with one TLD per line, as in db/seeds/tlds.ndjson.',
  subject: 'tlds',
  read: importTlds,
});

export const transferPolicyImport = rulesImport({
  name: 'transfer-policy:import',
  summary:
    'Import the transfer rules of the TLDs in an NDJSON file, each TLD with all its versions',
  file: 'NDJSON with one version per line, as in db/seeds/transfer-policies.ndjson.',
  subject: 'transfer-policies',
  read: importTransferPolicies,
});

/** Defines a command that imports a file of our own facts, and prints the first rejected lines. */
function rulesImport({
  name,
  summary,
  file: description,
  subject,
  read,
}: {
  name: string;
  summary: string;
  /** Describes the file. */
  file: string;
  /** The subject in the audit trail. */
  subject: string;
  read: (
    context: OpsContext,
    input: { source: AsyncIterable<Uint8Array>; onRejected(row: RejectedLine): void },
  ) => Promise<object>;
}) {
  return opsAction({
    name,
    summary,
    input: Type.Object({ file: Type.String({ description }) }),
    exitCode: exitCodeOfImport,
    async run(context, { file }) {
      await sizeOfFile(file);
      const rejections: RejectedLine[] = [];
      const counts = await read(context, {
        source: createReadStream(file),
        onRejected: (row) => {
          if (rejections.length < MAX_REJECTIONS) rejections.push(row);
        },
      });
      await context.db.transact((uow) =>
        recordAudit(uow, {
          actor: context.actor,
          action: name,
          subject,
          after: { file, ...counts },
        }),
      );
      return { ...counts, ...(rejections.length > 0 && { rejections }) };
    },
  });
}

const { email, domain } = DomainGrantInput.properties;

/** The HTTP action as a command, which can also take a file of any length. */
export const domainGrantFromFile = opsAction({
  name: domainGrant.name,
  summary: domainGrant.summary,
  input: Type.Object({
    email,
    domain: Type.Optional(domain),
    file: Type.Optional(Type.String({ description: 'A file with one domain per line.' })),
  }),
  exitCode: exitCodeOfImport,
  async run(context, { email, domain, file }) {
    if ((domain === undefined) === (file === undefined)) {
      throw invalid([{ path: '/domain', message: 'or --file is required, but not both' }]);
    }
    if (file === undefined) return domainGrant.run(context, { email, domain });
    await sizeOfFile(file);
    let rejected = 0;
    const rejections: RejectedLine[] = [];
    const granted = await grantDomainsOfFile(context, context.actor, {
      email,
      source: createReadStream(file),
      onRejected: (row) => {
        rejected += 1;
        if (rejections.length < MAX_REJECTIONS) rejections.push(row);
      },
    });
    return { granted, ...(rejected > 0 && { rejected, rejections }) };
  },
});

export const screeningImport = opsAction({
  name: 'screening:import',
  summary: 'Replace a sanctions list with one from a file, and screen open orders and payees again',
  input: Type.Object({
    list: Type.String({
      pattern: LIST_NAME,
      description: 'Our name for the list, such as ofac-sdn.',
    }),
    file: Type.String({
      description:
        'The XML of the UN, OFAC (sdn.xml) or the EU (1.1), or a CSV (docs/screening.md).',
    }),
    accept_loss: Type.Optional(
      Type.Boolean({ description: 'Accept a file with less than half of the previous entries.' }),
    ),
  }),
  async run(context, { list, file, accept_loss: acceptLoss = false }) {
    await sizeOfFile(file);
    const open = () => createReadStream(file);
    const given = { list, fileName: basename(file), open, acceptLoss };
    return { ...(await importList(context, context.actor, given)) };
  },
});
