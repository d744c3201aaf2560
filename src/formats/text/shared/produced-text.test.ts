import { describe, expect, test } from 'bun:test';
import { MemberNames, type MemberSpan, scanObject } from '../../shared/json/json-scan.ts';
import { eachMember, MAX_SAMPLE_BYTES, ProducedText } from './produced-text.ts';

const utf8 = new TextEncoder();
const NAMES = new MemberNames('a');

function noted(...json: readonly string[]): ProducedText {
  const produced = new ProducedText();
  for (const value of json) {
    const bytes = utf8.encode(`{"a":${value}}`);
    const member = scanObject(bytes, 0, NAMES)?.members[0];
    if (member === undefined) throw new Error('the example has the member');
    produced.addString(bytes, member);
  }
  return produced;
}

const quoted = (text: string) => JSON.stringify(text);

describe('text from the wire', () => {
  test('is unescaped', () => {
    const text = 'A "quoted"\tword,\nC:\\temp, 東京 and 😀';
    const escaped = '"\\u6771\\u4eac \\ud83d\\ude00 \\/"';
    expect(noted(quoted(text), escaped).sample().text).toBe(`${text}東京 😀 /`);
  });

  test('has split surrogate pairs joined', () => {
    expect(noted('"\\ud83d"', '"\\ude00"').sample().text).toBe('😀');
  });

  test('is only that of a string', () => {
    expect(noted('null', '3', '[]', '{}')).toMatchObject({ bytes: 0 });
    expect(noted('null').sample()).toEqual({ text: '', bytes: 0 });
  });
});

test('text of the gateway has no escapes', () => {
  const produced = new ProducedText();
  produced.addText('{"path":"C:\\\\new"}');
  expect(produced.sample().text).toBe('{"path":"C:\\\\new"}');
});

describe('a long response', () => {
  const word = 'word 東京 ';
  const wordBytes = utf8.encode(word).length;
  const times = Math.ceil((3 * MAX_SAMPLE_BYTES) / wordBytes);

  test.each([
    ['wire', () => noted(...Array<string>(times).fill(quoted(word)))],
    ['own text', () => withText(times, word)],
  ])('has its beginning kept and the rest counted in bytes (%s)', (_name, make) => {
    const produced = make();
    const sample = produced.sample();
    expect(produced.bytes).toBe(times * wordBytes);
    expect(sample.bytes).toBeGreaterThan(MAX_SAMPLE_BYTES - 4);
    expect(sample.bytes).toBeLessThanOrEqual(MAX_SAMPLE_BYTES);
    expect(word.repeat(times).startsWith(sample.text.replace(/\ufffd+$/, ''))).toBe(true);
  });

  test('has its beginning kept even in one piece', () => {
    expect(noted(quoted('x'.repeat(MAX_SAMPLE_BYTES + 10)))).toMatchObject({ bytes: MAX_SAMPLE_BYTES + 10 });
    expect(withText(1, 'x'.repeat(MAX_SAMPLE_BYTES + 10)).sample().bytes).toBe(MAX_SAMPLE_BYTES);
  });

  function withText(count: number, text: string): ProducedText {
    const produced = new ProducedText();
    for (let index = 0; index < count; index++) produced.addText(text);
    return produced;
  }
});

test('a report covers what was written so far', () => {
  const produced = new ProducedText();
  expect(produced.isPastReport).toBe(false);
  produced.addText('one');
  expect(produced.isPastReport).toBe(true);
  produced.markReported();
  expect(produced.isPastReport).toBe(false);
  produced.addText('two');
  expect(produced.isPastReport).toBe(true);
});

test('members of the objects in an array are found', () => {
  const seen: string[] = [];
  const bytes = utf8.encode('[{"a":1,"b":[{"a":9}]} , {"b":0},{"a":"x"}]');
  const see = ({ valueStart, valueEnd }: MemberSpan) => {
    seen.push(new TextDecoder().decode(bytes.subarray(valueStart, valueEnd)));
  };
  eachMember(bytes, 0, NAMES, see);
  eachMember(utf8.encode('{"a":1}'), 0, NAMES, see);
  expect(seen).toEqual(['1', '"x"']);
});
