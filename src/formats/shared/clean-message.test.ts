import { expect, test } from 'bun:test';
import { cleanMessage } from './clean-message.ts';

/** Texts that upstreams could send to keep a rule busy: what it begins with, again and again, and never what it ends with. */
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

/** Of several tries the one that was disturbed least. */
function cpuMs(work: () => void): number {
  const tries = Array.from({ length: 3 }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.min(...tries);
}

test.each(UNITS)('%j without end takes about as long as any other text', (unit) => {
  const text = (length: number) => unit.repeat(Math.ceil(length / unit.length));
  // As long as is looked at: four times the text is to take about four times as long, and not sixteen times.
  const [short, long] = [4_000, 16_000].map((length) => cpuMs(() => cleanMessage(text(length)))) as [number, number];
  expect(long).toBeLessThan(10 * Math.max(short, 3));
});
