import { appendFileSync } from 'node:fs';
import { SMTPServer } from 'smtp-server';

// An SMTP server that may be killed: it writes each mail to SMTP_FILE, as a line of JSON, before it says that it
// accepted it. Sometimes it defers a mail with a 421, or accepts one and closes its connections without a response.
const { SMTP_PORT, SMTP_FILE = '' } = process.env;
const MOODS = 0.08;

const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS', 'AUTH'],
  logger: false,
  onData(stream, _session, done) {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      const mood = Math.random();
      if (mood < MOODS) {
        return done(Object.assign(new Error('4.3.2 not now'), { responseCode: 421 }));
      }
      const [headers = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n', 1);
      const headerOf = (name: string) =>
        new RegExp(`^${name}: *(.+)$`, 'im').exec(headers.replace(/\r\n[ \t]+/g, ' '))?.[1]?.trim();
      const line = { id: headerOf('Message-ID'), subject: headerOf('Subject') };
      appendFileSync(SMTP_FILE, `${JSON.stringify(line)}\n`);
      if (mood < 2 * MOODS) {
        for (const connection of server.connections) connection.close();
        return;
      }
      done(null, 'kept');
    });
  },
});
server.on('error', () => {});
server.listen(Number(SMTP_PORT), '127.0.0.1');
