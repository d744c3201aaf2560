import { describe, expect, test } from 'bun:test';
import { channelKey } from './channel-key.ts';

const PRIVATE_KEY = '-----BEGIN PRIVATE KEY-----\nMIIEvAIBADANBg\nkqhkiG9w0BAQ==\n-----END PRIVATE KEY-----\n';
const FILE = {
  type: 'service_account',
  project_id: 'a-project',
  private_key_id: '0123456789abcdef',
  private_key: PRIVATE_KEY,
  client_email: 'gateway@a-project.iam.gserviceaccount.com',
  token_uri: 'https://oauth2.googleapis.com/token',
};

const PASTED: readonly (readonly [string, unknown])[] = [
  ['in one line', JSON.stringify(FILE)],
  ['as downloaded from Google', `${JSON.stringify(FILE, null, 2)}\n`],
  ['with the line ends of Windows', JSON.stringify(FILE, null, 2).replaceAll('\n', '\r\n')],
  ['with the line breaks of the private key', JSON.stringify(FILE, null, 2).replaceAll('\\n', '\n')],
  ['without line breaks, as from an input field', JSON.stringify(FILE, null, 2).replaceAll('\n', '')],
  ['as a map', FILE],
];

describe('the key of a channel', () => {
  test.each(PASTED)('is a service account %s', (_, pasted) => {
    const key = channelKey.parse(pasted);
    expect(key).toBe(JSON.stringify(FILE));
    expect(key).not.toContain('\n');
  });

  test.each(['sk-1', 'AKIA0123456789ABCDEF:secret/key+', '!~'])('is plain text: %s', (key) => {
    expect(channelKey.parse(key)).toBe(key);
  });

  test.each([
    ['', 'must be a key without spaces or line breaks'],
    ['a b', 'must be a key without spaces or line breaks'],
    ['a\n', 'must be a key without spaces or line breaks'],
    [4, 'must be a key without spaces or line breaks'],
    ['{"type": "service_account"', 'must be the unchanged contents of a credentials file'],
    [JSON.stringify({ ...FILE, more: 'x'.repeat(10_000) }), 'must have at most 10000 characters'],
    [{ ...FILE, more: 'x'.repeat(10_000) }, 'must have at most 10000 characters'],
  ])('is not %p', (value, message) => {
    const { error } = channelKey.safeParse(value);
    expect(error?.issues[0]?.message).toStartWith(message);
    expect(error?.message).not.toContain('BEGIN');
  });
});
