import type { Registry } from './runtime/row.ts';

/** Every kind of work that the fleet does. */
export const REGISTRY: Registry = [];
