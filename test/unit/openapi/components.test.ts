import { describe, expect, it } from '@jest/globals';
import { Type } from 'typebox';
import { createComponents } from '../../../api/openapi/openapi-components.ts';

describe('named schemas of an OpenAPI document', () => {
  it('are written once and referenced everywhere', () => {
    const components = createComponents();
    const order = Type.Object({ id: Type.String() }, { title: 'Order' });
    const list = Type.Object({
      orders: Type.Array(order),
      last: Type.Union([order, Type.Null()]),
    });
    components.name(list, 'OrderList');
    expect(components.render(list)).toEqual({ $ref: '#/components/schemas/OrderList' });
    const ref = { $ref: '#/components/schemas/Order' };
    expect(components.schemas()).toMatchObject({
      Order: { type: 'object', properties: { id: { type: 'string' } } },
      OrderList: {
        properties: { orders: { items: ref }, last: { anyOf: [ref, { type: 'null' }] } },
      },
    });
  });

  it('are named after their title, not after the operation', () => {
    const components = createComponents();
    const quote = Type.Object({}, { title: 'Quote' });
    components.name(quote, 'CreateQuoteAnswer');
    expect(components.render(quote)).toEqual({ $ref: '#/components/schemas/Quote' });
  });

  it('are not confused with properties and examples that look like them', () => {
    const components = createComponents();
    const book = Type.Object(
      { title: Type.String(), default: Type.Integer() },
      { examples: [{ title: 'Emma', default: 1 }] },
    );
    expect(components.render(book)).toEqual(JSON.parse(JSON.stringify(book)));
    expect(components.schemas()).toEqual({});
  });

  it('may share a name only if they are identical', () => {
    const components = createComponents();
    components.render(Type.Object({ a: Type.String() }, { title: 'Thing' }));
    components.render(Type.Object({ a: Type.String() }, { title: 'Thing' }));
    const other = Type.Object({ a: Type.Integer() }, { title: 'Thing' });
    expect(() => components.render(other)).toThrow('two schemas have the name Thing');
  });
});
