import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { type TSchema, Type } from 'typebox';
import { closedSchema, Instant } from '../../platform/json-schema.ts';
import { EVENT_TYPES, type EventBody, type EventDefinition, type EventType } from './event.ts';

const id = Type.String({
  description: 'Unique to the event, and the same in each of its deliveries.',
});
const created_at = { ...Instant, description: 'When the event happened.' };
const partner_id = Type.String({ description: 'Your partner account.' });

/** Returns the fields of an event in the history; a delivered event has {@link deliveredFields}. */
export function historyFields({ type, data }: EventDefinition) {
  return { id, type: Type.Literal(type, { description: 'What happened.' }), created_at, data };
}

/** Returns the fields of an event as an endpoint with full payloads receives it. */
export function deliveredFields(definition: EventDefinition) {
  const { data, ...fields } = historyFields(definition);
  return { ...fields, partner_id, data };
}

/** An event of any type as an endpoint with thin payloads receives it. */
export const ThinEvent = Type.Object(
  {
    id,
    type: Type.Enum([...EVENT_TYPES], { description: 'What happened.' }),
    created_at,
    partner_id,
    subject: Type.String({
      description: 'The ID of the order, case, endpoint or partner the event is about.',
    }),
  },
  {
    title: 'ThinEvent',
    description: 'An event without its data, for endpoints with `payload: thin`.',
  },
);

const ajv = new Ajv2020({ meta: false, validateSchema: false });
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const validators = new Map<TSchema, ValidateFunction>();

/** An event that violates its schema. `fault` says why; it names fields but never values. */
interface EventFault {
  id: string;
  type: EventType;
  fault: string;
}

/** Handles an event that violates its schema; if this returns, the event is still recorded and sent. */
export type OnEventFault = (fault: EventFault) => void;

/** For tests and development: rolls back the transaction of a faulty event, which is our bug. @throws Error */
export const refuseFaultyEvent: OnEventFault = ({ type, fault }) => {
  throw new Error(`${type} is not as its schema says: ${fault}`);
};

/** Returns the fault of an event: a field that its schema rejects or does not declare; undefined if there is none. */
export function faultOfEvent(definition: EventDefinition, body: EventBody): string | undefined {
  const check = validators.get(definition.data) ?? compile(definition);
  if (check(body)) return undefined;
  const [{ instancePath = '', message = 'is not valid', params = {} } = {}] = check.errors ?? [];
  const extra = params.additionalProperty ?? params.unevaluatedProperty;
  return `${instancePath || '/'} ${message}${extra === undefined ? '' : `: ${extra}`}`;
}

/** Compiles a validator on first use. Event types with the same data schema share one. */
function compile(definition: EventDefinition): ValidateFunction {
  const fields = { ...deliveredFields(definition), type: Type.Enum([...EVENT_TYPES]) };
  const check = ajv.compile(closedSchema(Type.Object(fields)));
  validators.set(definition.data, check);
  return check;
}
