import { expect, test } from 'bun:test';
import { MailError } from '../engine/ports/mailer.ts';
import { createSmtpMailer } from './smtp-mailer.ts';

/** Starts a mail server that accepts everything, or refuses the recipient; records every line. */
function mailServer(refuses = false) {
  const lines: string[] = [];
  const server = Bun.listen<{ inData: boolean }>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(socket) {
        socket.data = { inData: false };
        socket.write('220 test\r\n');
      },
      data(socket, chunk) {
        for (const line of chunk.toString().split('\r\n').slice(0, -1)) {
          lines.push(line);
          if (socket.data.inData) {
            if (line !== '.') continue;
            socket.data.inData = false;
            socket.write('250 taken\r\n');
          } else if (line === 'DATA') {
            socket.data.inData = true;
            socket.write('354 go on\r\n');
          } else if (refuses && line.startsWith('RCPT')) socket.write('550 nobody of secret-password here\r\n');
          else socket.write(line === 'QUIT' ? '221 bye\r\n' : '250 ok\r\n');
        }
      },
    },
  });
  return { lines, url: `smtp://127.0.0.1:${server.port}`, stop: () => server.stop(true) };
}

test('a mail reaches the server whole, and a subject cannot add headers or recipients', async () => {
  const server = mailServer();
  const mailer = createSmtpMailer({ smtpUrl: server.url, from: 'Gate <gate@example.com>' });
  await mailer.send({
    to: 'ann@example.com',
    subject: 'Hello\r\nBcc: eve@example.com',
    text: 'https://ai.example.com/welcome#abc\n',
  });
  server.stop();
  expect(server.lines).toContain('MAIL FROM:<gate@example.com>');
  expect(server.lines.filter((line) => line.startsWith('RCPT'))).toEqual(['RCPT TO:<ann@example.com>']);
  expect(server.lines).toContain('Subject: Hello Bcc: eve@example.com');
  expect(server.lines).toContain('https://ai.example.com/welcome#abc');
});

test('a refused mail is an error without the server’s words', async () => {
  const server = mailServer(true);
  const mail = { to: 'ann@example.com', subject: 'Hello', text: 'x' };
  const refused = createSmtpMailer({ smtpUrl: server.url, from: 'gate@example.com' }).send(mail);
  const error = await refused.then(
    () => null,
    (reason: unknown) => reason,
  );
  server.stop();
  expect(error).toBeInstanceOf(MailError);
  expect(String(error)).toBe('MailError: The mail server 127.0.0.1 did not accept the email: EENVELOPE 550');
  const away = createSmtpMailer({ smtpUrl: 'smtp://u:secret-password@127.0.0.1:1', from: 'gate@example.com' }).send(
    mail,
  );
  await expect(away).rejects.toThrow(/^The mail server 127\.0\.0\.1 did not accept the email: \w+$/);
});
