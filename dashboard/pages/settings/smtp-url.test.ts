import { expect, test } from 'bun:test';
import { type SmtpServer, smtpUrlOf } from './smtp-url.ts';

const SERVER: SmtpServer = { host: 'mail.example.com', port: '', security: 'tls', user: '', password: '' };

test.each<[Partial<SmtpServer>, string]>([
  [{}, 'smtps://mail.example.com'],
  [{ port: ' 2525 ', security: 'starttls' }, 'smtp://mail.example.com:2525'],
  [
    { user: 'gate@example.com', password: 'p@ss/word:1' },
    'smtps://gate%40example.com:p%40ss%2Fword%3A1@mail.example.com',
  ],
  [{ host: '2001:db8::1' }, 'smtps://[2001:db8::1]'],
  [{ host: ' ' }, ''],
])('%p is %s', (change, url) => {
  expect(smtpUrlOf({ ...SERVER, ...change })).toBe(url);
});

test('the parts can be read from the address again', () => {
  const { username, password, hostname, port } = new URL(
    smtpUrlOf({ ...SERVER, port: '465', user: 'ü:@/?#', password: '%&= "' }),
  );
  expect([username, password].map(decodeURIComponent)).toEqual(['ü:@/?#', '%&= "']);
  expect([hostname, port]).toEqual(['mail.example.com', '465']);
});
