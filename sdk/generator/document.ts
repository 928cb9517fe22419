/** A schema of the document, with the parts used for generating types. */
export interface Schema {
  $ref?: string;
  title?: string;
  description?: string;
  type?: string | readonly string[];
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly Schema[];
  items?: Schema;
  properties?: Readonly<Record<string, Schema>>;
  patternProperties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
}

export interface Parameter {
  $ref?: string;
  name: string;
  in: 'path' | 'query';
  required?: boolean;
  description?: string;
  schema: Schema;
}

type Content = Readonly<Record<string, { schema: Schema }>>;

export interface DocumentOperation {
  operationId: string;
  summary: string;
  description: string;
  deprecated?: boolean;
  parameters?: readonly Parameter[];
  requestBody?: { content: Content };
  responses: Readonly<Record<string, { content?: Content }>>;
}

type Item = Readonly<Record<string, DocumentOperation>>;

/** The OpenAPI document of the partner API. */
export interface ApiDocument {
  paths: Readonly<Record<string, Item>>;
  webhooks: Readonly<Record<string, { post: DocumentOperation }>>;
  components: { schemas: Readonly<Record<string, Schema>> };
}
