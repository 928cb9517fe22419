/** Resources whose documented name differs from the name that the rule derives from operation IDs. */
export const RENAMED: Readonly<Record<string, string>> = {
  endpoints: 'webhookEndpoints',
  sessions: 'checkoutSessions',
};

/** Method names for which the rule would not describe the call. */
const EXCEPTIONS: Readonly<Record<string, MethodName>> = {
  sendTest: { resource: 'webhookEndpoints', verb: 'test' },
  // `get`, `remove` and `test` belong to the endpoint `default` and take no ID.
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

/** Derives a method name from an operation ID, a verb and a noun: `createOrder` is `orders.create`, in the plural. */
export function methodName(operationId: string): MethodName {
  const exception = EXCEPTIONS[operationId];
  if (exception) return exception;
  const [, verb, noun] = /^([a-z]+)([A-Z]\w*)$/.exec(operationId) ?? [];
  if (!verb || !noun) throw new Error(`${operationId} is not a verb and a noun`);
  const resource = pluralOf(noun.charAt(0).toLowerCase() + noun.slice(1));
  return { resource: RENAMED[resource] ?? resource, verb };
}

/** Returns the plural of a noun; uncountable nouns (`availability`, `pricing`) stay unchanged. */
function pluralOf(noun: string): string {
  if (/(s|ity|ing)$/.test(noun)) return noun;
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}
