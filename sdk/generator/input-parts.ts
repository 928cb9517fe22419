import type { Parameter, Schema } from './document.ts';
import type { ReadOperation } from './read-operations.ts';
import { typeText } from './type-text.ts';

/** The input of a method: its own fields (path and query), the body's type, or both. */
export interface InputParts {
  ownName: string | undefined;
  ownFields: Schema;
  bodyType: string | undefined;
}

export function inputParts(operation: ReadOperation): InputParts {
  const parameters = [...operation.pathParameters, ...operation.queryParameters];
  const { operationId, body } = operation;
  const suffix = body ? 'Path' : 'Input';
  return {
    ownName:
      parameters.length === 0
        ? undefined
        : `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}${suffix}`,
    ownFields: {
      type: 'object',
      properties: Object.fromEntries(parameters.map((each) => [each.name, fieldOf(each)])),
      required: parameters.filter(({ required }) => required).map(({ name }) => name),
    },
    bodyType: body && typeText(body),
  };
}

/** Returns the type of the complete input. */
export function inputType(operation: ReadOperation): string {
  const { ownName, bodyType } = inputParts(operation);
  return [ownName, bodyType].filter((name) => name !== undefined).join(' & ') || 'NoInput';
}

function fieldOf({ schema, description }: Parameter): Schema {
  return { ...schema, ...(description !== undefined && { description }) };
}
