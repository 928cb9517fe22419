import { inputParts } from './input-parts.ts';
import type { ReadOperation } from './read-operations.ts';
import { typeText } from './type-text.ts';

const HEAD = `# Methods

A method's name is made of the endpoint's operation ID, which is a verb and a noun: \`createOrder\` is \`client.orders.create\`, the noun in the plural. Two resources have the names of the documentation instead, \`webhookEndpoints\` and \`checkoutSessions\`; \`endpoints\` and \`sessions\`, their former names, still work and are deprecated. The endpoint of \`PUT /webhooks\` has \`webhookEndpoints.register\`, \`.get\`, \`.remove\` and \`.test\`; one that has an id is read by \`.retrieve\`, changed by \`.update\`, removed by \`.delete\` and tested by \`.sendTest\`, which take the id or the name. It takes one object with the fields of path, query and body, named as on the wire, then options. \`.all\` iterates over the items of all pages, \`.pages\` over the pages, \`.csv\` over the text of the report; \`.pdf\` resolves with the bytes of the document.

| Method | Endpoint | Takes | Answers |
| --- | --- | --- | --- |
`;

/** Returns the text of METHODS.md with the table of all methods. */
export function methodsText(operations: readonly ReadOperation[]): string {
  return `${HEAD}${operations.map(lineOf).join('\n')}\n`;
}

function lineOf(operation: ReadOperation): string {
  const { name, method, path, pages, csv, pdf, answer } = operation;
  const more = [
    ...(pages ? ['`.all`', '`.pages`'] : []),
    ...(csv ? ['`.csv`'] : []),
    ...(pdf ? ['`.pdf`'] : []),
  ];
  const { ownName, bodyType } = inputParts(operation);
  const takes = [ownName, bodyType].filter((each) => each !== undefined);
  const cells = [
    [`\`${name.resource}.${name.verb}\``, ...more].join(', '),
    `\`${method} ${path}\``,
    takes.map((each) => `\`${each}\``).join(' and ') || 'nothing',
    answer ? `\`${typeText(answer)}\`` : 'nothing',
  ];
  return `| ${cells.join(' | ')} |`;
}
