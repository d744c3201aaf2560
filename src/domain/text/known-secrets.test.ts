import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { expectLinear } from '../../../tools/test/linear.ts';
import { KnownSecrets } from './known-secrets.ts';

const SECRET = 'Zq7/Wn+3kL9pX2vB8mTyR4cH6jD1fG5s';
const redact = (text: string, ...secrets: string[]) => new KnownSecrets(() => secrets).redact(text);

describe('a known secret is not to be read in a text', () => {
  const bytes = Buffer.from(SECRET);
  test.each([
    ['as it is', SECRET],
    ['in other letters', SECRET.toUpperCase()],
    ['its first characters', SECRET.slice(0, 12)],
    ['its last characters', SECRET.slice(-12)],
    ['a part of it', SECRET.slice(5, 20)],
    ['within a word', `key=${SECRET}&alt=sse`],
    ['percent-encoded', encodeURIComponent(SECRET)],
    ['in base64', bytes.toString('base64')],
    ['in base64 for URLs', bytes.toString('base64url')],
    ['as a password in base64', Buffer.from(`user:${SECRET}:more`).toString('base64')],
    ['in hexadecimal', bytes.toString('hex')],
    ['masked', `${SECRET.slice(0, 4)}****************${SECRET.slice(-4)}`],
    ['with dots', `${SECRET.slice(0, 6)}...${SECRET.slice(-4)}`],
    ['with an ellipsis', `${SECRET.slice(0, 6)}…`],
    ['after stars', `***${SECRET.slice(-4)}`],
  ])('%s', (_how, quoted) => {
    const redacted = redact(`Wrong API key provided: ${quoted} (see the docs).`, SECRET);
    expect(redacted).toStartWith('Wrong API key provided: ');
    expect(redacted).toEndWith(' (see the docs).');
    expect(redacted).toContain('[redacted]');
    expect(redacted.length).toBeLessThan(90);
  });

  test('each of several, at each of its places', () => {
    expect(redact('one-first-secret, two-other-secret one-first-secret', 'one-first-secret', 'two-other-secret')).toBe(
      '[redacted], [redacted] [redacted]',
    );
  });

  test('that is short, where it stands whole', () => {
    expect(redact('the key hunter2 is wrong', 'hunter2')).toBe('the key [redacted] is wrong');
    expect(redact('the key hunter is wrong', 'hunter2')).toBe('the key hunter is wrong');
  });

  test('that holds quotes and line breaks, as JSON escapes them', () => {
    const secret = 'a"b\\c"d\\e\nf"g\\h"i\\j"k\\l';
    expect(redact(JSON.stringify(secret), secret)).toBe('"[redacted]"');
  });

  test('after characters that grow in lower case', () => {
    expect(redact(`İİİ ${SECRET} İ`, SECRET)).toBe('İİİ [redacted] İ');
  });

  test('no run of it is left, whatever stands around', () => {
    const word = fc.string({ maxLength: 30, unit: 'grapheme' });
    fc.assert(
      fc.property(fc.string({ minLength: 12, maxLength: 60 }), word, word, (secret, before, after) => {
        const clean = redact(before + secret + after, secret).toLowerCase();
        const plain = secret.toLowerCase().replace(/\s+/g, ' ').trim();
        for (let at = 0; at + 12 <= plain.length; at++) {
          const run = plain.slice(at, at + 12);
          if (!run.includes('[red') && !'[redacted]'.includes(run)) expect(clean.includes(run)).toBe(false);
        }
      }),
    );
  });
});

describe('a text without it stays as it is', () => {
  test.each([
    ['another key', 'Wrong key: Zq7/Wn+3kL'],
    ['no words', ''],
    ['stars', 'This is *** important ... really'],
  ])('%s', (_what, text) => {
    expect(redact(text, SECRET)).toBe(text);
  });

  test.each(['', 'EMPTY', 'none', 'ollama', 'x'])('%j is nobody’s key', (word) => {
    expect(redact(`No such model at ollama, x, none, EMPTY: ${word}`, word)).toBe(
      `No such model at ollama, x, none, EMPTY: ${word}`,
    );
  });
});

test('a long text takes a time in proportion to its length, with a long key, too', () => {
  const known = new KnownSecrets(() => ['s3cret'.repeat(400)]);
  expectLinear(
    3_200,
    (count) => 'abcdef*** '.repeat(count),
    (text) => void known.redact(text),
  );
});
