import { type TSchema, Type } from 'typebox';
import type { EventDefinition } from '../../shared/messaging/event-types/event.ts';
import { deliveredFields } from '../../shared/messaging/event-types/event-schema.ts';
import { pascalCase } from './openapi-components.ts';

/** Returns the schema of an event as endpoints with full payloads receive it. */
export function deliveredEvent(definition: EventDefinition): TSchema {
  return Type.Object(deliveredFields(definition), {
    title: `${pascalCase(definition.type)}Event`,
    description: definition.when,
  });
}

/** Returns an example of an event for endpoints with full payloads. */
export function exampleOf({ type, example }: EventDefinition) {
  return {
    id: 'evt_01k6q0v1a2e3rs8h9m4n5p6q7w',
    type,
    created_at: '2026-11-21T09:30:00.000Z',
    partner_id: 'ptr_01k6q0tz9ffemvn3j5t8w2x4y6',
    data: example,
  };
}

const SUBJECTS = {
  order: 'ord_01k6q0v0zrf5bts0c4d6e8f9ga',
  offer: 'ofr_01k6q0v3b5ewyszm8k2n4p6r8t',
  case: 'brk_01k6q0v1a2e3rs8h9m4n5p6q7w',
  endpoint: 'whe_01k6q0v0zrf5bts0c4d6e8f9ga',
  partner: 'ptr_01k6q0tz9ffemvn3j5t8w2x4y6',
};

/** Returns an example of an event for endpoints with thin payloads. */
export function thinExampleOf(definition: EventDefinition) {
  const { data: _data, ...fields } = exampleOf(definition);
  return { ...fields, subject: SUBJECTS[definition.about] };
}
