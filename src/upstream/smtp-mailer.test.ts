import { expect, test } from 'bun:test';
import { MailError, type MailRefusal } from '../engine/ports/mailer.ts';
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

/** Resolves to the refusal by a server that answers the given commands so, and all others with success. */
async function refusalBy(
  answers: Readonly<Record<string, string>>,
  { credentials = '', wholeTimeoutMs = 60_000 } = {},
): Promise<MailRefusal | null> {
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open: (socket) => void socket.write(answers.greeting ?? '220 test\r\n'),
      data(socket, chunk) {
        for (const line of chunk.toString().split('\r\n').slice(0, -1)) {
          const [command = ''] = line.split(/[ :]/);
          const usual = command === 'EHLO' ? '250-test\r\n250 AUTH PLAIN\r\n' : '250 ok\r\n';
          socket.write((answers[command] ?? usual).replaceAll('<line>', line));
        }
      },
    },
  });
  const smtpUrl = `smtp://${credentials}127.0.0.1:${server.port}`;
  try {
    const mailer = createSmtpMailer({ smtpUrl, from: 'gate@example.com', wholeTimeoutMs });
    await mailer.send({ to: 'ann@example.com', subject: 'Hello', text: 'x' });
    return null;
  } catch (error) {
    return error instanceof MailError ? error.refusal : null;
  } finally {
    server.stop(true);
  }
}

test('a refusal has the kind of problem, the reply code and the words of the server', async () => {
  expect(await refusalBy({ MAIL: '553 sender\u0007 not allowed\r\n' })).toEqual({
    kind: 'address_refused',
    status: 553,
    said: '553 sender not allowed',
  });
  expect(await refusalBy({ MAIL: '530 5.7.0 Authentication required\r\n' })).toMatchObject({
    kind: 'credentials_refused',
    status: 530,
  });
  expect(await refusalBy({ greeting: '554 no\r\n' })).toMatchObject({
    status: 554,
    said: expect.stringContaining('no'),
  });
  const away = createSmtpMailer({ smtpUrl: 'smtp://127.0.0.1:1', from: 'gate@example.com' });
  const refused = away.send({ to: 'ann@example.com', subject: 'Hello', text: 'x' });
  await expect(refused).rejects.toMatchObject({ refusal: { kind: 'unreachable', status: null } });
});

test('an email takes a limited time, also with a server that answers a little at a time', async () => {
  const refusal = await refusalBy({ EHLO: '250-test\r\n' }, { wholeTimeoutMs: 50 });
  expect(refusal).toMatchObject({ kind: 'timeout', status: null });
});

test.each([
  ['a short password', 'u:pa55'],
  ['a long one with escapes', 'gateway%40example.com:a%2Fsecret%40of-this-test'],
])('what the server repeats of %s is not passed on', async (_what, written) => {
  const [user = '', password = ''] = written.split(':').map((part) => decodeURIComponent(part));
  const spellings = [password, btoa(password), btoa(`\0${user}\0${password}`)];
  for (const spelling of spellings) {
    // Like a server that quotes what it has received.
    const reply = `535 5.7.8 not accepted: ${spelling}\r\n`;
    const refusal = await refusalBy({ greeting: reply.replace('535', '554') }, { credentials: `${written}@` });
    expect(refusal?.status).toBe(554);
    for (const one of spellings) expect(refusal?.said ?? '').not.toContain(one);
  }
});
