import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One call as it arrived. */
interface EmbeddingCall {
  authorization: string | undefined;
  model: string;
  input: string[];
}

interface Reply {
  status: number;
  body: unknown;
}

/** An endpoint on a free port of this machine that plays an embeddings API. */
export interface EmbeddingsStandIn {
  url: string;
  calls: EmbeddingCall[];
  /** From now on each text gets this vector. */
  knows(vectorOf: (text: string) => readonly number[]): void;
  /** From now on each call gets this answer. */
  answers(reply: (call: EmbeddingCall) => Reply): void;
  /** From now on answers wait for this. */
  holds(until: Promise<void>): void;
  close(): Promise<void>;
}

/** Starts one that finds all texts alike. */
export async function startEmbeddingsStandIn(): Promise<EmbeddingsStandIn> {
  const calls: EmbeddingCall[] = [];
  let held = Promise.resolve();
  let reply: (call: EmbeddingCall) => Reply;
  const knows: EmbeddingsStandIn['knows'] = (vectorOf) => {
    reply = ({ input }) => ({
      status: 200,
      // Backwards, because only the index says which is which.
      body: {
        data: input
          .map((text, index) => ({ index, embedding: inBase64(vectorOf(text)) }))
          .reverse(),
      },
    });
  };
  knows(() => [1, 0]);

  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const { model, input } = JSON.parse(`${Buffer.concat(chunks)}`);
    const call = { authorization: req.headers.authorization, model, input };
    calls.push(call);
    const answer = reply(call);
    await held;
    res.writeHead(answer.status, { 'content-type': 'application/json' });
    res.end(JSON.stringify(answer.body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1/embeddings`,
    calls,
    knows,
    answers(next) {
      reply = next;
    },
    holds(until) {
      held = until;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** As the API writes vectors: little-endian floats. */
export function inBase64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * 4);
  return bytes.toString('base64');
}
