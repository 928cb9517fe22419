import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { Type } from 'typebox';
import { importList } from '../../../shared/people/screening/import-list.ts';
import { LIST_NAME } from '../../../shared/platform/json-schema.ts';
import { opsAction } from '../ops-action.ts';
import { sizeOfFile } from './import-commands.ts';

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
