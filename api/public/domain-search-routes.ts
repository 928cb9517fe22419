import { type Static, Type } from 'typebox';
import {
  type AvailabilityBatch,
  type FoundDomain,
  searchAvailability,
} from '../../shared/market/availability/search-availability.ts';
import { acceptNames } from '../http/accept.ts';
import { nullable } from '../http/common-schemas.ts';
import { reply } from '../http/reply.ts';
import { priceView } from './listing-routes.ts';
import { seesPrices } from './public-caller.ts';
import { publicRoute } from './public-route.ts';

const MAX_QUERY = 512;
const MAX_TLDS = 20;

const DomainSearchBody = Type.Object({
  q: Type.String({
    minLength: 1,
    maxLength: MAX_QUERY,
    description: 'A domain or a label, in any spelling: `neonwallet.com`, `neon wallet`, `bücher`.',
  }),
  tlds: Type.Optional(
    Type.Array(Type.String({ maxLength: 255 }), {
      minItems: 1,
      maxItems: MAX_TLDS,
      description: 'The TLDs to check, in this order, instead of the default ones.',
    }),
  ),
});

export const DomainSearchView = Type.Object(
  {
    query: Type.String({ description: '`q`, trimmed.' }),
    label: Type.String({ description: 'The label that was checked, as an A-label.' }),
    results: Type.Array(
      Type.Object({
        domain: Type.String({ description: 'In A-labels (Punycode), lower case.' }),
        tld: Type.String(),
        status: Type.Enum(['available', 'registered', 'for_sale', 'unknown']),
        available: nullable(
          Type.Boolean({
            description: 'Whether the domain is free to register. Null while `unknown`.',
          }),
        ),
        registration_price_cents: nullable(
          Type.Integer({
            description: 'For `registration_years`. Null when it cannot be registered here.',
          }),
        ),
        registration_years: nullable(
          Type.Integer({ description: 'The shortest registration term available.' }),
        ),
        currency: Type.String({ description: 'The currency of the prices shown.' }),
        listing: nullable(
          Type.Object(
            {
              price_cents: nullable(Type.Integer({ description: 'Null if the price is masked.' })),
              price_masked: Type.Boolean(),
              price_display: Type.String({ examples: ['$4,8**', '$4,850'] }),
              offers_accepted: Type.Boolean(),
            },
            { description: "The owner's asking price. Null unless the domain is for sale." },
          ),
        ),
      }),
      {
        description:
          'The requested domain, the same name under other TLDs, then other domains for sale that match the query.',
      },
    ),
    signed_in: Type.Boolean(),
  },
  { description: 'What is known about a name, and alternatives to it.' },
);

/** `POST /domain/search`: whether a name is available, for sale or taken, with alternatives. */
export const searchDomainRoute = publicRoute({
  method: 'POST',
  path: '/domain/search',
  operationId: 'searchDomains',
  summary: 'Check whether a domain is available, along with the same name under other TLDs.',
  description:
    'The requested domain comes first, then the same name under other TLDs, then other domains for sale that match the query. With `Accept: application/x-ndjson` the requested domain is the first line, and every other row is sent as soon as it is known, one JSON object per line: the row with its `position` among `results`, and `query`, `label` and `signed_in`.',
  limit: 'search',
  body: DomainSearchBody,
  responses: { 200: DomainSearchView },
  alternatives: ['application/x-ndjson'],
  async handler(context, { caller, body, accept }) {
    const unmasked = seesPrices(caller);
    const asked = { ...body, hidePrices: !unmasked };
    const { query, label, answers } = await searchAvailability(context, asked);
    const about = { query, label, signed_in: caller.kind === 'user' };
    const row = (found: FoundDomain) => foundDomainView(found, unmasked);

    if (acceptNames(accept, 'application/x-ndjson')) {
      const lines = async function* () {
        for await (const { position, found } of inCompletionOrder(answers)) {
          yield jsonLine({ position, ...about, ...row(found) });
        }
      };
      const stream = { contentType: 'application/x-ndjson', chunks: lines() };
      // A proxy that buffers the lines would defeat the streaming.
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

/** Yields the requested domain first, then every other row as soon as its batch is ready. */
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

/** Registrations are sold in US dollars. */
const REGISTRATION_CURRENCY = 'USD';

/** Returns a row of the response; the asking price is masked unless the caller may see prices. */
function foundDomainView(
  { domain, tld, status, registration, offer }: FoundDomain,
  unmasked: boolean,
): Static<typeof DomainSearchView>['results'][number] {
  return {
    domain,
    tld,
    status,
    available: status === 'unknown' ? null : status === 'available',
    registration_price_cents: registration?.priceCents ?? null,
    registration_years: registration?.years ?? null,
    currency: offer?.currency ?? REGISTRATION_CURRENCY,
    listing: offer && {
      ...priceView(offer, unmasked),
      offers_accepted: offer.offersAccepted,
    },
  };
}

/** Returns a value as one line of JSON. */
function jsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
