import { describe, expect, test } from 'bun:test';
import { readTraceContext, readTracestate, traceparentOf } from './trace-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('a traceparent', () => {
  test('of version 00 is read and written again unchanged', () => {
    for (const flags of ['00', '01', '02', '03']) {
      const text = `00-${TRACE}-${SPAN}-${flags}`;
      const read = readTraceContext(text, null);
      expect(read).toEqual({ traceId: TRACE, spanId: SPAN, flags: Number(flags), state: null });
      expect(read && traceparentOf(read)).toBe(text);
    }
  });

  test('keeps only the known flags', () => {
    const read = readTraceContext(`00-${TRACE}-${SPAN}-ff`, null);
    expect(read?.flags).toBe(3);
    expect(read && traceparentOf(read)).toBe(`00-${TRACE}-${SPAN}-03`);
  });

  test('of a later version is read as far as it is known', () => {
    for (const rest of ['', '-', '-what-the-future-will-be-like']) {
      expect(readTraceContext(`cc-${TRACE}-${SPAN}-01${rest}`, null)).toMatchObject({ traceId: TRACE, flags: 1 });
    }
  });

  test.each([
    ['version ff', `ff-${TRACE}-${SPAN}-01`],
    ['version 00 with a fifth field', `00-${TRACE}-${SPAN}-01-more`],
    ['version 00 with a hyphen at the end', `00-${TRACE}-${SPAN}-01-`],
    ['a later version without a hyphen before the rest', `cc-${TRACE}-${SPAN}-01.more`],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['a span id of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['upper case', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['a short trace id', `00-${TRACE.slice(1)}-${SPAN}-01`],
    ['other characters', `00-${TRACE.slice(1)}g-${SPAN}-01`],
    ['no flags', `00-${TRACE}-${SPAN}`],
    ['two values', `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
    ['two values of a later version', `01-${TRACE}-${SPAN}-01, 01-${TRACE}-${SPAN}-01`],
    ['10 kB', `cc-${TRACE}-${SPAN}-01-${'a'.repeat(10_000)}`],
    ['nothing', ''],
  ])('with %s counts as absent', (_name, text) => {
    expect(readTraceContext(text, 'a=1')).toBeNull();
  });

  test('is valid with an invalid tracestate, which is left out', () => {
    expect(readTraceContext(`00-${TRACE}-${SPAN}-01`, 'A=1')).toMatchObject({ traceId: TRACE, state: null });
    expect(readTraceContext(`00-${TRACE}-${SPAN}-01`, 'a=1')).toMatchObject({ traceId: TRACE, state: 'a=1' });
  });
});

describe('a tracestate', () => {
  test.each([
    ['foo=1', 'foo=1'],
    ['foo=1 , \tbar=2', 'foo=1,bar=2'],
    ['foo=1,,bar=2,', 'foo=1,bar=2'],
    ['0a/b*c_d-e@vendor=!"#$%&\'()*+-./:;<>?@[]^_`{|}~ x', '0a/b*c_d-e@vendor=!"#$%&\'()*+-./:;<>?@[]^_`{|}~ x'],
    // Repeated keys are passed on, as the test suite of the W3C allows.
    ['foo=1,foo=1', 'foo=1,foo=1'],
  ])('%s is kept', (text, kept) => {
    expect(readTracestate(text)).toBe(kept);
  });

  test.each([
    '',
    ' ',
    ',',
    'foo',
    'foo=',
    '=1',
    'Foo=1',
    'foo =1',
    'foo=1=2',
    'a@b@c=1',
    '_a=1',
    'foo=é',
    'foo=\u0001',
  ])('%p is left out', (text) => {
    expect(readTracestate(text)).toBeNull();
    expect(readTracestate(`good=1,${text}`)).toBe(text.trim() === '' || text === ',' ? 'good=1' : null);
  });

  test('has at most 32 members', () => {
    const members = (count: number) => Array.from({ length: count }, (_, index) => `k${index}=v`).join(',');
    expect(readTracestate(members(32))).toBe(members(32));
    expect(readTracestate(members(33))).toBeNull();
    expect(readTracestate(members(40))).toBeNull();
  });

  test('has bounded keys and values', () => {
    expect(readTracestate(`${'k'.repeat(256)}=${'v'.repeat(240)}`)).not.toBeNull();
    expect(readTracestate(`${'k'.repeat(257)}=v`)).toBeNull();
    expect(readTracestate(`k=${'v'.repeat(257)}`)).toBeNull();
    expect(readTracestate(`k=${'v'.repeat(10_000)}`)).toBeNull();
  });

  test('of more than 512 characters loses large members first, then the last ones', () => {
    const member = (key: string, length: number) => `${key}=${'v'.repeat(length - 2)}`;
    const small = Array.from({ length: 4 }, (_, index) => member(`${index}`, 100));
    expect(readTracestate([...small.slice(0, 2), member('l', 200), ...small.slice(2)].join(','))).toBe(small.join(','));
    const many = Array.from({ length: 6 }, (_, index) => member(`${index}`, 120));
    expect(readTracestate(many.join(','))).toBe(many.slice(0, 4).join(','));
  });
});
