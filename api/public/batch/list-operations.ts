import { reply } from '../../http/reply.ts';
import { operations } from '../operations.ts';
import { publicRoute } from '../route.ts';
import { CatalogueView, MAX_OPERATIONS } from './batch.schema.ts';

/** `GET /batch`: what a batch can hold. */
export const listOperationsRoute = publicRoute({
  method: 'GET',
  path: '/batch',
  operationId: 'listOperations',
  summary: 'List the operations that a batch can hold.',
  limit: 'reads',
  responses: { 200: CatalogueView },
  async handler() {
    return reply(200, {
      operations: operations.map(({ op, description, paramsSchema, route }) => ({
        op,
        description,
        params_schema: paramsSchema,
        single_call: {
          method: route.method,
          path: `/api${route.path.replace(/:(\w+)/g, '{$1}')}`,
        },
      })),
      max_operations: MAX_OPERATIONS,
    });
  },
});
