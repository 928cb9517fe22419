import type { ErrorResponses } from './error-responses.ts';
import { headerRefs, RATE_LIMIT_HEADERS } from './headers.ts';
import type { Json } from './json.ts';
import type { Tag } from './tags.ts';

export const TOOL_TAG: Tag = {
  name: 'Tools',
  description: 'The reads as tools for language models (Model Context Protocol).',
  paths: [],
};

/** A JSON-RPC 2.0 message; the protocol says what is in it. */
const MESSAGE: Json = {
  type: 'object',
  required: ['jsonrpc'],
  properties: {
    jsonrpc: { const: '2.0' },
    id: { type: ['string', 'number', 'null'] },
    method: { type: 'string' },
    params: { type: 'object' },
    result: {},
    error: { type: 'object' },
  },
};

/** What is refused in the terms of the protocol, by the library or before it. */
const REFUSED: Json = {
  type: 'object',
  required: ['jsonrpc', 'error', 'id'],
  properties: {
    jsonrpc: { const: '2.0' },
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'integer' },
        message: { type: 'string' },
        data: {
          description: 'Our own `code`, `request_id` and `details`, when we have more to say.',
        },
      },
    },
    id: { type: ['string', 'number', 'null'] },
  },
};

/** `POST {base_url}/api`, which a library serves. */
export function toolServerPath(errors: ErrorResponses): Json {
  const headers = headerRefs(['RequestId', ...RATE_LIMIT_HEADERS]);
  const refused = (description: string): Json => ({
    description: `${description} A JSON-RPC error.`,
    headers,
    content: { 'application/json': { schema: REFUSED } },
  });
  return {
    '/api': {
      post: {
        operationId: 'callToolServer',
        summary: 'Send a message to the tool server',
        description:
          'Model Context Protocol over Streamable HTTP. The tools are the operations of `GET /api/batch`. Any call needs an access token; without one the 401 tells where to get it.',
        tags: [TOOL_TAG.name],
        security: [{ oauth: ['pricing:read'] }],
        requestBody: { required: true, content: { 'application/json': { schema: MESSAGE } } },
        responses: {
          '200': {
            description:
              'The answer, as one message; as a stream with that message when `Accept` names `text/event-stream`.',
            headers,
            content: {
              'application/json': { schema: MESSAGE },
              'text/event-stream': { schema: { type: 'string' } },
            },
          },
          '202': { description: 'A notification was taken; there is no body.', headers },
          '400': refused('The body is no message of the protocol, or nested too deeply.'),
          '406': refused('`Accept` names neither JSON nor any type.'),
          '415': refused('The body is not `application/json`.'),
          ...errors.refs(['invalid_token', 'forbidden', 'payload_too_large', 'rate_limited']),
        },
      },
    },
  };
}
