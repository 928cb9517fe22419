import {
  type AvailabilityBatch,
  type FoundDomain,
  searchAvailability,
} from '../../../shared/domain-search/search-domains.ts';
import { jsonLine, wantsNdjson } from '../../http/ndjson.ts';
import { reply } from '../../http/reply.ts';
import { seesPrices } from '../caller.ts';
import { publicRoute } from '../route.ts';
import { DomainSearchBody, DomainSearchView } from './search.schema.ts';
import { foundDomainView } from './search.view.ts';

/** `POST /domain/search`: whether a name is free, for sale or taken, and what could be had instead. */
export const searchDomainsRoute = publicRoute({
  method: 'POST',
  path: '/domain/search',
  operationId: 'searchDomains',
  summary: 'Look whether a domain can be had, and its siblings under other TLDs.',
  description:
    'The asked-for domain comes first, then its siblings, then other domains for sale that answer the query. With `Accept: application/x-ndjson` the asked-for domain is the first line and each other row is sent as its answer comes, one JSON object a line: the row with its `position` among `results`, and `query`, `label` and `signed_in`.',
  limit: 'search',
  body: DomainSearchBody,
  responses: { 200: DomainSearchView },
  alternative: 'application/x-ndjson',
  async handler(context, { caller, body, accept }) {
    const { query, label, answers } = await searchAvailability(context, body);
    const unmasked = seesPrices(caller);
    const about = { query, label, signed_in: caller.kind === 'user' };
    const row = (found: FoundDomain) => foundDomainView(found, unmasked);

    if (wantsNdjson(accept)) {
      const lines = async function* () {
        for await (const { position, found } of inCompletionOrder(answers)) {
          yield jsonLine({ position, ...about, ...row(found) });
        }
      };
      const stream = { contentType: 'application/x-ndjson', chunks: lines() };
      // A proxy that collects the lines would undo the streaming.
      return { status: 200, headers: { 'X-Accel-Buffering': 'no' }, stream };
    }
    const found = await Promise.all(answers.map(({ domains }) => domains));
    const { signed_in } = about;
    return reply(200, { query, label, results: found.flat().map(row), signed_in });
  },
});

interface Row {
  position: number;
  found: FoundDomain;
}

/** The asked-for domain, then each other one as soon as its part of the answer is there. */
async function* inCompletionOrder(answers: readonly AvailabilityBatch[]): AsyncGenerator<Row> {
  const waiting = new Map(
    answers.map((answer) => [answer, answer.domains.then((domains) => ({ answer, domains }))]),
  );
  const early: Row[] = [];
  for (let askedIsTold = false; waiting.size > 0; ) {
    const { answer, domains } = await Promise.race(waiting.values());
    waiting.delete(answer);
    const rows = domains.map((found, at) => ({ position: answer.position + at, found }));
    if (answer.position === 0) {
      askedIsTold = true;
      yield* [...rows, ...early];
    } else if (askedIsTold) yield* rows;
    else early.push(...rows);
  }
}
