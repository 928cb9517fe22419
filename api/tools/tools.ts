import {
  type CallToolResult,
  fromJsonSchema,
  type JsonSchemaType,
  type JsonSchemaValidator,
  McpServer,
} from '@modelcontextprotocol/server';
import { type Operation, operations } from '../public/operations.ts';
import type { PublicContext } from '../public/route.ts';
import { type OperationCall, type Outcome, runOperation } from '../public/run-operation.ts';

/** What every tool needs to know of the request that calls it. */
export type ToolCaller = Omit<OperationCall, 'params'>;

const INSTRUCTIONS =
  'Reads a domain-name marketplace: availability, TLD prices and requirements, WHOIS, and domains for sale. ' +
  'Prices are whole minor units in fields named *_cents. A failed call tells error.code; after rate_limited wait as its message says.';

/** The schemas are told to clients; the check is that of the single call, with its errors. */
const unvalidatedSchema = (schema: unknown) =>
  fromJsonSchema<Record<string, unknown>>(schema as JsonSchemaType, {
    getValidator:
      <T>(): JsonSchemaValidator<T> =>
      (input) => ({ valid: true, data: input as T, errorMessage: undefined }),
  });

const tools = operations.map((operation) => ({
  operation,
  config: {
    title: operation.route.summary.replace(/\.$/, ''),
    description: operation.description,
    inputSchema: unvalidatedSchema(operation.paramsSchema),
    outputSchema: unvalidatedSchema(operation.route.responses[200]),
    annotations: { readOnlyHint: true, openWorldHint: true },
  },
}));

/** The tools as one caller has them for one request: every operation of the batch, a tool each. */
export function toolServer(context: PublicContext, caller: ToolCaller): McpServer {
  const server = new McpServer(
    { name: 'domain-marketplace', version: '1.0.0' },
    // The tools never change while the process runs, so nobody needs to listen for that.
    { capabilities: { tools: { listChanged: false } }, instructions: INSTRUCTIONS },
  );
  for (const { operation, config } of tools) {
    server.registerTool(operation.op, config, async (params) =>
      toolResult(await runOperation(context, operation, { ...caller, params })),
    );
  }
  return server;
}

/** The tool of a `tools/call`, when the message is one and there is that tool. */
export function calledTool(message: unknown): Operation | undefined {
  const { method, params } = message as { method?: unknown; params?: { name?: unknown } };
  if (method !== 'tools/call') return undefined;
  return operations.find(({ op }) => op === params?.name);
}

/** The answer as structured content, and as text for models that read no other; an error as its envelope. */
function toolResult({ status, body }: Outcome): CallToolResult {
  const content = [{ type: 'text' as const, text: JSON.stringify(body) }];
  if (status >= 400) return { content, isError: true };
  return { content, structuredContent: body as Record<string, unknown> };
}
