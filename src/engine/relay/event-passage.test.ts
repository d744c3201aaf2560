import { expect, test } from 'bun:test';
import { EventPassage } from './event-passage.ts';

const STREAM =
  'event: interaction.created\ndata: {"interaction":{"id":"int_1","model":"up"}}\n\nevent: x\ndata: {"delta":"é \\"model\\":\\"up\\""}\n\n';

test('a stream is the same however its bytes are split', () => {
  const bytes = Buffer.from(STREAM);
  const expected = STREAM.replace('"model":"up"', '"model":"mine"');
  for (let at = 0; at <= bytes.length; at++) {
    const passage = new EventPassage({ upstreamModel: 'up', model: 'mine' });
    const out = [passage.push(bytes.subarray(0, at)), passage.push(bytes.subarray(at)), passage.end()];
    expect(Buffer.concat(out).toString()).toBe(expected);
    expect([...passage.ids]).toEqual(['int_1']);
  }
});

test('an endless line is not buffered forever', () => {
  const passage = new EventPassage(null);
  let out = 0;
  for (let piece = 0; piece < 40; piece++) out += passage.push(new Uint8Array(100_000).fill(97)).length;
  expect(out).toBeGreaterThan(2_000_000);
});

test('a long piece with a line end loses nothing', () => {
  const passage = new EventPassage({ upstreamModel: 'up', model: 'mine' });
  const piece = Buffer.from(`data: {"model":"up"}\n${'a'.repeat(3_000_000)}`);
  const out = [passage.push(piece), passage.push(Buffer.from('bc\ndata: {"model":"up"}\n')), passage.end()];
  const expected = `data: {"model":"mine"}\n${'a'.repeat(3_000_000)}bc\ndata: {"model":"up"}\n`;
  expect(Buffer.concat(out).toString()).toBe(expected);
});

test('a line in a hundred thousand pieces is joined once', () => {
  const passage = new EventPassage(null);
  const piece = new Uint8Array([97]);
  let out = 0;
  for (let at = 0; at < 100_000; at++) out += passage.push(piece).length;
  expect(out).toBe(0);
  expect(passage.end()).toHaveLength(100_000);
});
