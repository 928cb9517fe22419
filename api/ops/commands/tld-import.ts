import { createReadStream } from 'node:fs';
import { Type } from 'typebox';
import { recordAudit } from '../../../shared/audit/record-audit.ts';
import { importTlds } from '../../../shared/tlds/import-tlds.ts';
import { opsAction } from '../action.ts';
import { MAX_REJECTIONS, sizeOfFile } from './input-file.ts';

export const tldImport = opsAction({
  name: 'tld:import',
  summary: 'Take over the prices and rules of the TLDs in an NDJSON file; others stay as they are',
  input: Type.Object({
    file: Type.String({ description: 'NDJSON, a TLD a line, as in db/seeds/tlds.ndjson.' }),
  }),
  async run(context, { file }) {
    await sizeOfFile(file);
    const rejections: { line: number; reason: string }[] = [];
    const counts = await importTlds(context, {
      source: createReadStream(file),
      onRejected: (row) => {
        if (rejections.length < MAX_REJECTIONS) rejections.push(row);
      },
    });
    await context.db.transact((tx) =>
      recordAudit(
        tx,
        {
          actor: context.actor,
          action: 'tld:import',
          subject: 'tlds',
          after: { file, ...counts },
        },
        context.clock.now(),
      ),
    );
    return { ...counts, ...(rejections.length > 0 && { rejections }) };
  },
});
