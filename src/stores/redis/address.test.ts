import { describe, expect, test } from 'bun:test';
import { describeAddress, parseRedisAddress, RedisAddressError } from './address.ts';

const PLAIN = { username: null, password: null, tls: false };

describe('an address of Redis', () => {
  test.each([
    ['redis://localhost', { ...PLAIN, kind: 'single', host: { host: 'localhost', port: 6379 }, db: 0 }],
    ['redis://10.0.0.1:7000/3', { ...PLAIN, kind: 'single', host: { host: '10.0.0.1', port: 7000 }, db: 3 }],
    ['redis://[::1]:7000/', { ...PLAIN, kind: 'single', host: { host: '::1', port: 7000 }, db: 0 }],
    [
      'rediss://me:p%40ss%3Aword@host',
      { username: 'me', password: 'p@ss:word', tls: true, kind: 'single', host: { host: 'host', port: 6379 }, db: 0 },
    ],
    ['redis://:word@host', { ...PLAIN, password: 'word', kind: 'single', host: { host: 'host', port: 6379 }, db: 0 }],
    ['redis+cluster://host', { ...PLAIN, kind: 'cluster', hosts: [{ host: 'host', port: 6379 }] }],
    [
      'redis+sentinel://:word@a,b:7/main/2?sentinel_password=other',
      {
        ...PLAIN,
        password: 'word',
        kind: 'sentinel',
        hosts: [
          { host: 'a', port: 26379 },
          { host: 'b', port: 7 },
        ],
        name: 'main',
        sentinelPassword: 'other',
        db: 2,
      },
    ],
  ])('%s', (text, address) => expect(parseRedisAddress(text)).toEqual(address as ReturnType<typeof parseRedisAddress>));

  test.each(['redis://a:1,b:2', 'redis://a:1,redis://b:2', 'redis://a:1, redis://b:2'])('%s is a cluster', (text) => {
    const hosts = [
      { host: 'a', port: 1 },
      { host: 'b', port: 2 },
    ];
    expect(parseRedisAddress(text)).toEqual({ ...PLAIN, kind: 'cluster', hosts });
  });

  test.each([
    ...['', 'localhost:6379', 'http://host', 'redis://', 'redis:///1', 'redis://host:0', 'redis://host:66000'],
    ...['redis://host/main', 'redis://host/0/1', 'redis://a,b/1', 'redis://host?x=1', 'redis+sentinel://host'],
    ...['redis+sentinel://host/main/0/1', 'redis://u:%zz@host', 'redis://::1', 'redis://a,,b', 'redis+other://host'],
  ])('%p is none', (text) => expect(() => parseRedisAddress(text)).toThrow(RedisAddressError));

  test('hides its password in logs and errors', () => {
    const shown = (text: string) => describeAddress(parseRedisAddress(text));
    expect(shown('redis://me:secret@a:1')).toBe('a:1');
    expect(shown('rediss://me:secret@a:1,b:2')).toBe('cluster a:1,b:2');
    expect(shown('redis+sentinel://me:secret@a/main')).toBe('sentinel a:26379');
    for (const text of ['redis://me:secret@a:b', 'redis://me:secret%zz@a', 'redis://me:secret@a/x']) {
      expect(complaintAbout(text)).not.toContain('secret');
    }
  });
});

function complaintAbout(text: string): string {
  try {
    parseRedisAddress(text);
  } catch (error) {
    return String(error);
  }
  throw new Error('it was read');
}
