import { expect, test } from 'bun:test';
import { isShowable, mediaAddress, mediaKindOf } from './media.ts';

const BASE = 'https://here.example/ai/';

test("the gateway's own links are resolved against the page's address and path prefix; others do not change", () => {
  const kept = 'http://10.0.0.1:8787/media/abc?expires=1&signature=x';
  expect(mediaAddress(kept, BASE)).toBe('https://here.example/ai/media/abc?expires=1&signature=x');
  expect(mediaAddress('https://here.example/ai/media/abc?expires=1&signature=x', BASE)).toBe(
    'https://here.example/ai/media/abc?expires=1&signature=x',
  );
  expect(mediaAddress('https://cdn.example/media/abc.mp4', BASE)).toBe('https://cdn.example/media/abc.mp4');
  expect([isShowable('https://cdn.example/media/abc.mp4', BASE), isShowable(mediaAddress(kept, BASE), BASE)]).toEqual([
    false,
    true,
  ]);
});

test("a file's media type takes precedence in identifying it", () => {
  expect(mediaKindOf('x', 'image/png', 'video')).toBe('image');
  expect(mediaKindOf('https://a.example/cube.glb?x=1', undefined, 'image')).toBe('model');
  expect(mediaKindOf('https://a.example/x', 'text/html', 'video')).toBe('other');
  expect(mediaKindOf('https://a.example/x', undefined, 'music')).toBe('audio');
});
