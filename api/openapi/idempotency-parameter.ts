import type { Json } from './json.ts';

/** The `Idempotency-Key` header of the calls that answer once for it. */
export function idempotencyParameter({ required }: { required: boolean }): Json {
  return {
    name: 'Idempotency-Key',
    in: 'header',
    required,
    description:
      'Unique to this operation, such as a UUID v4. The same key with the same body replays the stored answer for 30 days; with another body it is a `conflict`.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  };
}
