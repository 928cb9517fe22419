import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createApp } from '../../api/app.ts';
import { createApiServer } from '../../api/http/server.ts';
import { createLogger } from '../../shared/platform/observability/logger.ts';
import { givenListing, givenPartner, type PartnerFixture } from '../support/factories.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';
import { type SignedClient, signedClient } from '../support/signed-client.ts';

describe('the API log', () => {
  const lines: string[] = [];
  let runtime: TestRuntime;
  let server: ReturnType<typeof createApiServer>;
  let partner: PartnerFixture;
  let client: SignedClient;
  let url: string;
  beforeAll(async () => {
    runtime = await createTestRuntime();
    const log = createLogger(
      { level: 'debug', name: 'test' },
      { write: (line) => lines.push(line) },
    );
    server = createApiServer(createApp({ ...runtime, log }));
    await new Promise<void>((resolve) => server.server.listen(0, '127.0.0.1', resolve));
    const address = server.server.address();
    url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    partner = await givenPartner(runtime);
    client = signedClient(url, partner, () => runtime.clock.now());
  });
  afterAll(async () => {
    await server.stop(0);
    await runtime.stop();
  });

  it('identifies a request by key id and route, not by values in its path or body', async () => {
    const { domain } = await givenListing(runtime);
    const quote = await client.post('/v1/quotes', { body: { domain } }).expect(201);
    await client.delete(`/v1/quotes/${quote.body.quote_id}`).expect(204);
    const text = lines.join('');
    expect(text).toContain(partner.keyId);
    expect(text).toContain('/api/partner/v1/quotes/:quote_id');
    expect(text).not.toContain(quote.body.quote_id);
  });

  it('does not contain a secret sent as the key id', async () => {
    await fetch(`${url}/api/partner/v1/orders`, {
      headers: { 'X-Service-Key-Id': partner.secret },
    });
    expect(lines.join('')).not.toContain(partner.secret);
  });

  it('says why a statement failed without the data of the row', async () => {
    await runtime.db.knex.raw(
      'alter table orders add constraint never check (buyer_email is null) not valid',
    );
    const { domain, priceCents } = await givenListing(runtime);
    await client
      .post('/v1/orders', {
        body: {
          domain,
          expected_price: priceCents,
          buyer: { email: 'jane.doe@example.com', name: 'Jane Doe' },
        },
        idempotencyKey: randomUUID(),
      })
      .expect(500);
    const text = lines.join('');
    expect(text).toContain('violates check constraint');
    expect(text).not.toMatch(/jane/i);
  });
});
