import { describe, expect, test } from 'bun:test';
import { PageTokens } from './page-token.ts';

const tokens = new PageTokens(new Uint8Array(32).fill(7));
const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

test.each(['a', 'gpt-4o-mini', 'meta/llama 3:free', 'модель-🚦', 'x'.repeat(256)])('the token restores %j', (id) => {
  expect(tokens.verify(tokens.sign(id))).toBe(id);
});

test('the token needs no encoding in a URL', () => {
  expect(tokens.sign('модель/🚦?&=+')).toMatch(/^[\w-]+$/);
});

test('the token is the same on every node with the key', () => {
  expect(new PageTokens(new Uint8Array(32).fill(7)).sign('a')).toBe(tokens.sign('a'));
});

describe('a token is refused', () => {
  // Ids of three lengths, so that the last character holds six, four and two bits.
  test.each(['lumen', 'lumen7', 'lumen-7'])('with any character changed, for %s', (id) => {
    const token = tokens.sign(id);
    for (let index = 0; index < token.length; index++) {
      for (const character of BASE64URL) {
        const tampered = token.slice(0, index) + character + token.slice(index + 1);
        if (tampered !== token) expect([tampered, tokens.verify(tampered)]).toEqual([tampered, null]);
      }
    }
  });

  const token = tokens.sign('lumen-7b');

  test('with any character missing', () => {
    const cut = [...token].map((_character, index) => token.slice(0, index) + token.slice(index + 1));
    expect(cut.map((one) => tokens.verify(one)).filter((id) => id !== null)).toEqual([]);
  });

  test.each([
    ['nothing', ''],
    ['a signature without an id', token.slice(0, 22)],
    ['padding', `${token}=`],
    ['a space', `${token} `],
    ['more', `${token}AAAA`],
    ['twice', token + token],
    ['the standard base64 alphabet', Buffer.from(token, 'base64url').toString('base64').replace(/=+$/, '+')],
    ['a bare id', 'lumen-7b'],
  ])('%s', (_name, wrong) => {
    expect(tokens.verify(wrong)).toBeNull();
  });

  test('if another key signed it', () => {
    expect(tokens.verify(new PageTokens(new Uint8Array(32)).sign('lumen-7b'))).toBeNull();
  });
});
