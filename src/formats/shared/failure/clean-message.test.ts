import { describe, expect, test } from 'bun:test';
import { expectLinear } from '../../../../tools/test/linear.ts';
import { cleanMessage, loggedText } from './clean-message.ts';

/** Texts that an upstream could send to keep a rule busy: the start of a pattern, repeated, without its end. */
const UNITS = [
  '<script',
  '<style a ',
  '</script ',
  '<!--',
  '<!doctype',
  '<a ',
  '<',
  'secret:',
  'secret: a',
  'key*',
  'key ',
  'key.',
  'key!a',
  `key${'*'.repeat(37)}`,
  'api-key',
  'api_key=',
  '?key',
  '&code',
  '"key"',
  '"token":"',
  '-_',
  'a',
  ' ',
  'Basic a',
  'Bearer ',
  'eyJaaaaaaaa.',
  'sk-.',
  'http://a:',
  'a.',
  'cookie:',
  'set-cookie: a=',
  'cookie ',
  'mt-',
  '\u200b',
];

test.each(UNITS)('%j repeated endlessly takes linear time', (unit) => {
  // Covers the whole examined length.
  expectLinear(16_000, (length) => unit.repeat(Math.ceil(length / unit.length)), cleanMessage);
});

describe('a text for the log', () => {
  test('stays as it is if it is short and clean', () => {
    const text = '`temperature` must be a number from 0 to 2; got "hot".';
    expect(loggedText(text, 100)).toBe(text);
  });

  test('is one line, cut at the bound between whole characters', () => {
    expect(loggedText('a\r\nb\u2028c\0', 100)).toBe('a b c ');
    expect(loggedText('x'.repeat(50), 20)).toBe(`${'x'.repeat(19)}…`);
    expect(loggedText(`${'x'.repeat(18)}😀${'x'.repeat(9)}`, 20).isWellFormed()).toBe(true);
  });

  test('has no part of a secret, wherever it is cut', () => {
    const secret = 'sk-abcdefghijklmnopqrstuvwxyz0123456789';
    for (let at = 0; at < 300; at++) {
      const text = loggedText(`${'word '.repeat(60).slice(0, at)} ${secret} ${'word '.repeat(200)}`, 100);
      expect(text).not.toContain('abcdef');
      expect(text.length).toBeLessThanOrEqual(100);
    }
  });
});
