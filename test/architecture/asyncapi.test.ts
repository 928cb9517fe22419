import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { asyncApiDocument } from '../../api/openapi/asyncapi-document.ts';
import { EVENT_TYPES } from '../../shared/messaging/event-types/event.ts';
import { closedSchema } from '../../shared/platform/json-schema.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document is read by its paths
const document: any = asyncApiDocument({ baseUrl: 'https://market.example' });
const { messages } = document.components;

// The schemas use the draft that the specification requires.
const ajv = new Ajv({ strict: false, allErrors: true });
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
ajv.addSchema(closedSchema({ $id: 'asyncapi', components: document.components }));

describe('the AsyncAPI document', () => {
  it('has a message for every event type and one for thin payloads', () => {
    expect(Object.keys(messages)).toEqual([...EVENT_TYPES, 'thin']);
    expect(Object.keys(document.channels.fullEvents.messages)).toEqual([...EVENT_TYPES]);
    expect(Object.keys(document.channels.thinEvents.messages)).toEqual(['thin']);
  });

  it('contains everything that it refers to', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)];
    expect(references.length).toBeGreaterThan(50);
    const lost = references
      .map(([, path = '']) => path)
      .filter((path) => path.split('/').reduce((at, key) => at?.[key], document) === undefined);
    expect(lost).toEqual([]);
  });

  it.each([...EVENT_TYPES, 'thin'])(
    'has an example of %s that matches its schema exactly',
    (name) => {
      const check = ajv.compile({ $ref: `asyncapi#/components/messages/${name}/payload` });
      const { examples } = messages[name];
      expect(examples).toHaveLength(1);
      expect([check(examples[0].payload), check.errors]).toEqual([true, null]);
    },
  );
});
