import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as it arrived. */
interface EmbeddingCall {
  authorization: string | undefined;
  model: string;
  input: string[];
}

interface Reply {
  status: number;
  body: unknown;
}

/** A stand-in for an embeddings API, on a free port of this machine. */
export interface EmbeddingsStandIn {
  url: string;
  calls: EmbeddingCall[];
  /** Sets the vector of each text from now on. */
  knows(vectorOf: (text: string) => readonly number[]): void;
  /** Sets the response to each request from now on. */
  answers(reply: (call: EmbeddingCall) => Reply): void;
  /** Delays responses from now on until this resolves. */
  holds(until: Promise<void>): void;
  close(): Promise<void>;
}

/** Starts a stand-in that gives all texts the same vector. */
export async function startEmbeddingsStandIn(): Promise<EmbeddingsStandIn> {
  const calls: EmbeddingCall[] = [];
  let held = Promise.resolve();
  let reply: (call: EmbeddingCall) => Reply;
  const knows: EmbeddingsStandIn['knows'] = (vectorOf) => {
    reply = ({ input }) => ({
      status: 200,
      // In reverse order, because only the index identifies the texts.
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

/** Encodes vectors as the API does: little-endian floats. */
export function inBase64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * 4);
  return bytes.toString('base64');
}
