/** Resources that the documentation calls otherwise than the operation ids do, by the name of the rule. */
export const RENAMED: Readonly<Record<string, string>> = {
  endpoints: 'webhookEndpoints',
  sessions: 'checkoutSessions',
};

/** Where the rule would not tell a reader what the call does. */
const EXCEPTIONS: Readonly<Record<string, MethodName>> = {
  sendTest: { resource: 'webhookEndpoints', verb: 'test' },
  // `get`, `remove` and `test` are those of the endpoint `default`, which take no id.
  getWebhookEndpoint: { resource: 'webhookEndpoints', verb: 'retrieve' },
  removeWebhookEndpoint: { resource: 'webhookEndpoints', verb: 'delete' },
  testWebhookEndpoint: { resource: 'webhookEndpoints', verb: 'sendTest' },
  rotateSecret: { resource: 'webhookEndpoints', verb: 'rotateSecret' },
  replayEvents: { resource: 'webhookEndpoints', verb: 'replay' },
};

/** `client.<resource>.<verb>(...)` */
export interface MethodName {
  resource: string;
  verb: string;
}

/** An operation id is a verb and a noun: `createOrder` is `orders.create`, the noun in the plural. */
export function methodName(operationId: string): MethodName {
  const exception = EXCEPTIONS[operationId];
  if (exception) return exception;
  const [, verb, noun] = /^([a-z]+)([A-Z]\w*)$/.exec(operationId) ?? [];
  if (!verb || !noun) throw new Error(`${operationId} is not a verb and a noun`);
  const resource = pluralOf(noun.charAt(0).toLowerCase() + noun.slice(1));
  return { resource: RENAMED[resource] ?? resource, verb };
}

/** What cannot be counted (`availability`, `pricing`) stays as it is. */
function pluralOf(noun: string): string {
  if (/(s|ity|ing)$/.test(noun)) return noun;
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}
