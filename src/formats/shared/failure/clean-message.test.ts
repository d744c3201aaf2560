import { test } from 'bun:test';
import { expectLinear } from '../../../../tools/test/linear.ts';
import { cleanMessage } from './clean-message.ts';

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
  '\u200b',
];

test.each(UNITS)('%j repeated endlessly takes linear time', (unit) => {
  // Covers the whole examined length.
  expectLinear(16_000, (length) => unit.repeat(Math.ceil(length / unit.length)), cleanMessage);
});
