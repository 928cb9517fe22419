import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import express from 'express';
import { buyerErrorPage } from '../../../api/pages/kit/buyer-card.ts';
import type { Database } from '../../../shared/messaging/unit-of-work/database.ts';
import { fail } from '../../../shared/platform/errors.ts';
import { createLogger } from '../../../shared/platform/observability/logger.ts';

it.each([
  ['service_unavailable', 503, 0],
  ['conflict', 409, 1],
] as const)(
  'an error page (%s) reads a brand only while Postgres answers',
  async (code, status, read) => {
    let reads = 0;
    const db = {
      get knex() {
        reads += 1;
        throw new Error('no database here');
      },
    } as unknown as Database;
    const log = createLogger({ level: 'silent', name: 'test' });
    const app = express();
    app.use((_req, res) => {
      res.locals.partnerId = 'ptr_1';
      throw fail(code);
    });
    app.use(buyerErrorPage({ db, log }, 'brokerage'));
    const server = app.listen(0, '127.0.0.1');
    try {
      await once(server, 'listening');
      const page = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      expect(page.status).toBe(status);
      expect(reads).toBe(read);
    } finally {
      server.close();
    }
  },
);
