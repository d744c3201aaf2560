import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { expectLinear } from '../../../tools/test/linear.ts';
import { KnownSecrets } from './known-secrets.ts';

const SECRET = 'Zq7/Wn+3kL9pX2vB8mTyR4cH6jD1fG5s';
const redact = (text: string, ...secrets: string[]) => new KnownSecrets(() => secrets).redact(text);

describe('a known secret is redacted', () => {
  const bytes = Buffer.from(SECRET);
  test.each([
    ['as it is', SECRET],
    ['in another case', SECRET.toUpperCase()],
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

  test('each of several, wherever it occurs', () => {
    expect(redact('one-first-secret, two-other-secret one-first-secret', 'one-first-secret', 'two-other-secret')).toBe(
      '[redacted], [redacted] [redacted]',
    );
  });

  test('that is short, as a whole word', () => {
    expect(redact('the key hunter2 is wrong', 'hunter2')).toBe('the key [redacted] is wrong');
    expect(redact('the key hunter is wrong', 'hunter2')).toBe('the key hunter is wrong');
  });

  test('with quotes and line breaks, as JSON escapes them', () => {
    const secret = 'a"b\\c"d\\e\nf"g\\h"i\\j"k\\l';
    expect(redact(JSON.stringify(secret), secret)).toBe('"[redacted]"');
  });

  test('after characters that grow in lower case', () => {
    expect(redact(`İİİ ${SECRET} İ`, SECRET)).toBe('İİİ [redacted] İ');
  });

  test('without a trace, whatever surrounds it', () => {
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

describe('a text without a secret is unchanged', () => {
  test.each([
    ['another key', 'Wrong key: Zq7/Wn+3kL'],
    ['no text', ''],
    ['stars', 'This is *** important ... really'],
  ])('%s', (_what, text) => {
    expect(redact(text, SECRET)).toBe(text);
  });

  test.each(['', 'EMPTY', 'none', 'ollama', 'x'])('%j is not treated as a secret', (word) => {
    expect(redact(`No such model at ollama, x, none, EMPTY: ${word}`, word)).toBe(
      `No such model at ollama, x, none, EMPTY: ${word}`,
    );
  });
});

test('redaction takes linear time, even for a long key', () => {
  const known = new KnownSecrets(() => ['s3cret'.repeat(400)]);
  expectLinear(
    3_200,
    (count) => 'abcdef*** '.repeat(count),
    (text) => void known.redact(text),
  );
});
