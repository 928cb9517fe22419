import { createReadStream } from 'node:fs';
import { Type } from 'typebox';
import {
  grantDomainsOfFile,
  type RejectedLine,
} from '../../../shared/owned-domains/grant-domains.ts';
import { invalid } from '../../../shared/platform/errors.ts';
import { opsAction } from '../action.ts';
import { DomainGrantInput, domainGrant } from '../actions/domains.ts';
import { MAX_REJECTIONS, sizeOfFile } from './input-file.ts';

const { email, domain } = DomainGrantInput.properties;

/** As over HTTP, but a command can take a file of any length instead. */
export const domainGrantFromFile = opsAction({
  name: domainGrant.name,
  summary: domainGrant.summary,
  input: Type.Object({
    email,
    domain: Type.Optional(domain),
    file: Type.Optional(Type.String({ description: 'A file with one domain a line.' })),
  }),
  async run(context, { email, domain, file }) {
    if ((domain === undefined) === (file === undefined)) {
      throw invalid([{ path: '/domain', message: 'or --file is needed, and not both' }]);
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
