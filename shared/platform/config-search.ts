import { SECOND } from './clock.ts';
import { integer, ms, text, type Variable } from './config-kinds.ts';

/** The optional model that ranks what search finds a second time. */
export const EMBEDDINGS_VARIABLES = {
  embeddingsUrl: text(
    'EMBEDDINGS_URL',
    '',
    'Full address of an endpoint that speaks the OpenAI embeddings API (`https://.../v1/embeddings`); empty leaves embeddings out of search.',
  ),
  embeddingsModel: text(
    'EMBEDDINGS_MODEL',
    '',
    'Model that is asked for there. Required with EMBEDDINGS_URL.',
  ),
  embeddingsApiKey: text(
    'EMBEDDINGS_API_KEY',
    '',
    'Bearer token for that endpoint; empty sends none.',
  ),
  embeddingsBudgetMs: ms(
    'EMBEDDINGS_BUDGET_MS',
    150,
    'How long a search waits for embeddings; after that it ranks without them.',
    1,
  ),
  embeddingsTimeoutMs: ms(
    'EMBEDDINGS_TIMEOUT_MS',
    10 * SECOND,
    'Total time of one call to the endpoint.',
    1,
  ),
  embeddingsBatchSize: integer(
    'EMBEDDINGS_BATCH_SIZE',
    64,
    'Listings whose vectors the worker asks for in one call.',
    1,
    2_048,
  ),
  embeddingsCacheSize: integer(
    'EMBEDDINGS_CACHE_SIZE',
    2_000,
    'Queries whose vectors a process keeps in memory.',
    1,
    1_000_000,
  ),
} satisfies Record<string, Variable<unknown>>;
