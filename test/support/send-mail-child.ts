// Sends one mail to the server of MAIL_URL, and prints the result. Trusts NODE_EXTRA_CA_CERTS, which Node only reads at
// startup.
import { createMailTransport } from '../../shared/messaging/mail/mail-transport.ts';
import { loadConfig } from '../../shared/platform/config/config.ts';

const config = loadConfig(process.env);
const unused = undefined as never;
const transport = createMailTransport({ config, db: unused, clock: unused });
const result = await transport.send(
  {
    id: 'eml_00000000000000000000000000',
    messageId: '<eml_00000000000000000000000000@market.example>',
    date: new Date('2026-11-22T09:30:00.000Z'),
    from: { name: 'Example Domains', address: 'mail@market.example' },
    to: 'robin@buyer.example',
    replyTo: null,
    subject: 'Hello',
    html: '<p>Hello</p>',
    text: 'Hello',
    headers: {},
    attachments: [],
  },
  AbortSignal.timeout(20_000),
);
transport.close();
process.stdout.write(JSON.stringify(result));
