import { expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { answerObject } from '../failure/error-in-answer.ts';
import { PIXEL_BASE64 } from '../testing/image-samples.ts';
import { contentRefused, imagesOf, madeImage } from './image-answer.ts';

const utf8 = new TextEncoder();

test('base64 is read with or without a data URI, in either alphabet', () => {
  expect(madeImage({ base64: PIXEL_BASE64 })).toEqual({ base64: PIXEL_BASE64, mediaType: null, revisedPrompt: null });
  expect(madeImage({ base64: `data:image/PNG;base64,${PIXEL_BASE64}` })).toMatchObject({
    base64: PIXEL_BASE64,
    mediaType: 'image/png',
  });
  expect(madeImage({ url: `data:image/webp;base64,${PIXEL_BASE64}`, mediaType: 'image/png' })).toMatchObject({
    base64: PIXEL_BASE64,
    mediaType: 'image/webp',
  });
  expect(madeImage({ base64: '-_-_' })?.base64).toBe('+/+/');
  expect(madeImage({ base64: 'AAA' })?.base64).toBe('AAA=');
  expect(madeImage({ base64: 'AAAA\nAAAA\n' })?.base64).toBe('AAAAAAAA');
});

test('an invalid image gives null', () => {
  const page = 'data:text/html;base64,PGI+';
  const wrong = [page, null, undefined, 1, true, {}, [], '', 'no base64!', 'A', '=AAA', 'data:image/png;base64,'];
  for (const base64 of wrong) expect(madeImage({ base64 })).toBeNull();
  const addresses = ['ftp://a.example/b', 'javascript:alert(1)', 'file:///etc/passwd', '/b.png', 'http://', {}, 4, ''];
  for (const url of addresses) expect(madeImage({ url })).toBeNull();
  expect(madeImage({ url: `https://a.example/${'a'.repeat(20_000)}` })).toBeNull();
});

test('other members are used only if they are strings', () => {
  const url = 'https://a.example/b.png';
  expect(madeImage({ url, revisedPrompt: 'r', mediaType: 'image/jpeg' })).toEqual({
    url,
    mediaType: 'image/jpeg',
    revisedPrompt: 'r',
  });
  for (const odd of [1, {}, [], null, '', 'text/html']) {
    expect(madeImage({ url, mediaType: odd })?.mediaType).toBeNull();
  }
  for (const odd of [1, {}, [], null, '']) expect(madeImage({ url, revisedPrompt: odd })?.revisedPrompt).toBeNull();
});

test('a list needs at least one image, and nothing else', () => {
  const told = ({ url }: Readonly<Record<string, unknown>>) => (url === 'skip' ? null : { url });
  const good = { url: 'https://a.example/b.png' };
  expect(imagesOf([good, { url: 'skip' }], told)).toHaveLength(1);
  for (const list of [undefined, null, 'x', {}, [], [good, 1], [good, null], [good, {}], [{ url: 'skip' }]]) {
    expect(imagesOf(list, told)).toBeInstanceOf(Failure);
  }
});

test('a response that is not an object, or carries an error, is a failure', () => {
  for (const text of ['', 'no', '[]', '1', 'null', '{"error":"broken"}', '{"error":{"message":"m"}}']) {
    expect(answerObject(utf8.encode(text))).toBeInstanceOf(Failure);
  }
  expect(answerObject(utf8.encode('{"data":[]}'))).toEqual({ data: [] });
});

test('a refusal by a filter is a client error without a fallback', () => {
  const failure = contentRefused('Blocked: violence');
  expect([failure.status, failure.side, failure.retry]).toEqual([400, 'client', 'never']);
  expect(failure.details).toMatchObject({ publicCode: 'content_policy_violation', param: 'prompt' });
  expect(contentRefused('').message).not.toBe('');
});
