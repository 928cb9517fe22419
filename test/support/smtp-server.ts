import type { AddressInfo } from 'node:net';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';
import { TEST_CERTIFICATE, TEST_PRIVATE_KEY } from './tls-fixture.ts';

/** A message that the server accepted, raw and parsed. */
interface ReceivedMail {
  raw: Buffer;
  parsed: ParsedMail;
  from: string;
  to: string[];
  /** Whether it arrived over TLS. */
  secure: boolean;
}

/** The server's behavior for a message, by the local part of its recipient; anything else is accepted. */
type Behaviour =
  /** 550 5.1.1 at RCPT. */
  | 'nobody'
  /** 554 after the message. */
  | 'spam'
  /** 554 after the message, quoting the first link in it. */
  | 'quoting'
  /** 451 at RCPT, the first time. */
  | 'greylisted'
  /** 421 at DATA, the first time, and the connection is closed. */
  | 'busy'
  /** No response after the message, the first time. */
  | 'stalled'
  /** The message is kept, and the connection cut before the response, the first time. */
  | 'dropped'
  /** 452 at RCPT, always. */
  | 'full';

const BEHAVIOURS: readonly string[] = [
  'nobody',
  'spam',
  'quoting',
  'greylisted',
  'busy',
  'stalled',
  'dropped',
  'full',
] satisfies Behaviour[];

export interface TestSmtpServer {
  /** `smtp://127.0.0.1:port`. */
  url: string;
  received: ReceivedMail[];
  /** The passwords that clients sent. */
  passwords: string[];
  /** The number of opened sessions. */
  sessions(): number;
  stop(): Promise<void>;
}

const refusal = (responseCode: number, message: string) =>
  Object.assign(new Error(message), { responseCode });

/**
 * Starts an SMTP server that behaves as the recipients' names say. `port` is a free one by default. It offers STARTTLS
 * if it requires a password, unless `tls` says otherwise; its certificate is not trusted by anyone.
 */
export async function startSmtpServer({
  port = 0,
  auth,
  tls = auth ? 'starttls' : 'none',
}: {
  port?: number;
  auth?: { user: string; pass: string };
  tls?: 'implicit' | 'starttls' | 'none';
} = {}): Promise<TestSmtpServer> {
  const received: ReceivedMail[] = [];
  const passwords: string[] = [];
  const seen = new Set<string>();
  let sessions = 0;
  /** Returns true the first time, for behavior that succeeds the second time. */
  const firstTime = (recipient: string) => !seen.has(recipient) && Boolean(seen.add(recipient));

  const server = new SMTPServer({
    key: TEST_PRIVATE_KEY,
    cert: TEST_CERTIFICATE,
    authOptional: auth === undefined,
    secure: tls === 'implicit',
    allowInsecureAuth: true,
    disabledCommands: [...(tls === 'starttls' ? [] : ['STARTTLS']), ...(auth ? [] : ['AUTH'])],
    hidePIPELINING: true,
    closeTimeout: 100,
    logger: false,
    onConnect(_session, done) {
      sessions += 1;
      done();
    },
    onAuth({ username, password }, _session, done) {
      passwords.push(password ?? '');
      if (username === auth?.user && password === auth?.pass) return done(null, { user: username });
      done(refusal(535, '5.7.8 wrong password'));
    },
    onRcptTo({ address }, _session, done) {
      switch (behaviourOf(address)) {
        case 'nobody':
          return done(refusal(550, '5.1.1 no such user'));
        case 'full':
          return done(refusal(452, '4.2.2 mailbox full'));
        case 'greylisted':
          return done(firstTime(address) ? refusal(451, '4.7.1 try again later') : null);
        default:
          return done();
      }
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => void finish(Buffer.concat(chunks)));
      const to = session.envelope.rcptTo.map(({ address }) => address);
      const from = session.envelope.mailFrom ? session.envelope.mailFrom.address : '';
      const [recipient = ''] = to;
      const finish = async (raw: Buffer) => {
        const keep = async () => {
          const parsed = await simpleParser(raw);
          received.push({ raw, parsed, from, to, secure: session.secure });
        };
        switch (behaviourOf(recipient)) {
          case 'spam':
            return done(refusal(554, '5.7.1 looks like spam'));
          case 'quoting': {
            const { text = '' } = await simpleParser(raw);
            const [link = 'no link'] = text.match(/https?:\S+/) ?? [];
            return done(refusal(554, `5.7.1 we do not like ${link}`));
          }
          case 'busy':
            if (firstTime(recipient)) return done(refusal(421, '4.3.2 shutting down'));
            break;
          case 'stalled':
            if (firstTime(recipient)) return;
            break;
          case 'dropped':
            if (!firstTime(recipient)) break;
            await keep();
            for (const connection of server.connections) connection.close();
            return;
        }
        await keep();
        done(null, 'kept');
      };
    },
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
  const address = server.server.address() as AddressInfo;
  return {
    url: `${tls === 'implicit' ? 'smtps' : 'smtp'}://127.0.0.1:${address.port}`,
    received,
    passwords,
    sessions: () => sessions,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function behaviourOf(recipient: string): Behaviour | undefined {
  const [name = ''] = recipient.split(/[@.+]/);
  return BEHAVIOURS.includes(name) ? (name as Behaviour) : undefined;
}
