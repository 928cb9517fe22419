import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { deliveredEvent, exampleOf, thinExampleOf } from '../../../api/openapi/event-messages.ts';
import { EVENTS } from '../../../api/partner/event-catalogue.ts';
import { EVENT_TYPES, newEvent } from '../../../shared/messaging/event-types/event.ts';
import { faultOfEvent, ThinEvent } from '../../../shared/messaging/event-types/event-schema.ts';
import { CASE_EVENTS } from '../../../shared/sales/brokerage/brokerage.events.ts';
import { ORDER_EVENTS } from '../../../shared/sales/orders/order.events.ts';

const ajv = new Ajv2020({ strict: true, strictTypes: false });
ajv.addFormat('date-time', true);

const { order } = ORDER_EVENTS['order.recorded'].example;
const example = exampleOf(ORDER_EVENTS['order.recorded']);
const faultOf = (body: object) =>
  faultOfEvent(ORDER_EVENTS['order.recorded'], { ...example, ...body } as never);

describe('event definitions', () => {
  it('cover all types, in order', () => {
    expect(EVENTS.map(({ type }) => type)).toEqual(EVENT_TYPES);
  });

  it.each(EVENTS)('$type has a sentence and an example that its schema accepts', (event) => {
    expect(event.when).toMatch(/^[A-Z].*\.$/);
    expect(faultOfEvent(event, exampleOf(event) as never)).toBeUndefined();
    expect(ajv.validate(ThinEvent, thinExampleOf(event))).toBe(true);
  });

  it('let receivers accept fields of later versions', () => {
    const published = ajv.compile(deliveredEvent(ORDER_EVENTS['order.recorded']));
    const later = { order: { ...order, registrar: 'later' }, later: 1 };
    expect(published({ ...example, data: later, later: true })).toBe(true);
    expect(published({ ...example, type: 'order.settled' })).toBe(false);
  });
});

describe('an outgoing event', () => {
  it.each([
    ['a missing field', { data: { order: { ...order, domain: undefined } } }],
    ['a field of the wrong type', { data: { order: { ...order, domain: 7 } } }],
    ['a value outside its enum', { data: { order: { ...order, status: 'X' } } }],
    ['no data', { data: {} }],
    ['a date without its time', { created_at: '2026-11-21' }],
    ['an undeclared field', { data: { order: { ...order, buyer_email: 'secret' } } }],
    ['an undeclared part', { data: { order, buyer: { email: 'secret' } } }],
    ['an undeclared field beside the data', { buyer: 'secret' }],
  ])('is invalid with %s, and the error reveals no value', (_what, body) => {
    const sent = JSON.parse(JSON.stringify(body));
    const fault = faultOf(sent);
    expect(fault).toMatch(/\w/);
    expect(fault).not.toContain('secret');
  });

  it('is type-checked where it is created', () => {
    newEvent(ORDER_EVENTS['order.recorded'], 'ord_1', { order });
    // @ts-expect-error The order lacks its domain.
    newEvent(ORDER_EVENTS['order.recorded'], 'ord_1', { order: { ...order, domain: undefined } });
    // @ts-expect-error Not declared.
    newEvent(ORDER_EVENTS['order.recorded'], 'ord_1', { order, buyer: 'b' });
    // @ts-expect-error A case has no order.
    newEvent(CASE_EVENTS['brokerage.case_updated'], 'brk_1', { order });
    const open = CASE_EVENTS['brokerage.case_updated'].example;
    // @ts-expect-error A completed case must have a deal.
    newEvent(CASE_EVENTS['brokerage.case_completed'], 'brk_1', open);
  });
});
