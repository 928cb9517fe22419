import { Type } from 'typebox';
import { nullable } from '../../http/schema.ts';

/** Operations a request. */
export const MAX_OPERATIONS = 20;

const MAX_ID_LENGTH = 255;

/** Beyond these a number would not be echoed as it was sent. */
const EntryId = Type.Union([
  Type.String({ maxLength: MAX_ID_LENGTH }),
  Type.Number({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
]);

export const BatchEntry = Type.Object({
  id: Type.Optional(EntryId),
  op: Type.String({ description: 'A name of the catalogue, `GET /api/batch`.' }),
  params: Type.Optional(
    Type.Object({}, { description: 'What the single call takes as path, query or body.' }),
  ),
});

/** Any entry is taken, because a bad one must not fail the others. */
export const BatchBody = Type.Object({
  operations: Type.Array(
    Type.Union([BatchEntry, Type.Unknown({ description: 'Answered by a 400 of its own.' })]),
    { minItems: 1, maxItems: MAX_OPERATIONS },
  ),
});

export const BatchView = Type.Object({
  results: Type.Array(
    Type.Object({
      id: nullable(Type.Union([Type.String(), Type.Number()])),
      op: nullable(Type.String()),
      status: Type.Integer({ description: 'The HTTP status of the single call.' }),
      body: Type.Unknown({ description: 'The answer of the single call, or its error.' }),
    }),
    { description: 'In the order of the operations.' },
  ),
  count: Type.Integer(),
  failed: Type.Integer({ description: 'How many have a status of 400 or more.' }),
});

export const CatalogueView = Type.Object({
  operations: Type.Array(
    Type.Object({
      op: Type.String(),
      description: Type.String(),
      params_schema: Type.Unknown({ description: 'JSON Schema of `params`.' }),
      single_call: Type.Object({ method: Type.String(), path: Type.String() }),
    }),
  ),
  max_operations: Type.Integer(),
});
