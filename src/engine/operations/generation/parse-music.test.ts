import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import type { MusicRequest } from '../../../domain/tasks/generation-request.ts';
import { isLyricsModel, parseMusic, withAction } from './parse-music.ts';

/* The rows of the contract's table (POST /v1/music/generations), in its order. */

type Body = Readonly<Record<string, unknown>>;

function parse(body: Body, defaultModel: string | null = 'the-default'): MusicRequest | Failure {
  return parseMusic(new TextEncoder().encode(JSON.stringify({ prompt: 'slow jazz', ...body })), {
    defaultModel: () => defaultModel,
  });
}

function read(body: Body): MusicRequest {
  const request = parse(body);
  if (request instanceof Failure) throw new Error(request.message);
  return request;
}

function refusal(body: Body, defaultModel?: string | null): readonly unknown[] | null {
  const request = parse(body, defaultModel);
  return request instanceof Failure ? [request.code, request.details.param] : null;
}

const model = (id: string, ...tags: string[]) => ({ id, tags });

test('a prompt is enough: the default model makes music', () => {
  const { body, ...request } = read({});
  expect(body).toEqual({ prompt: 'slow jazz' });
  expect(request).toEqual({
    ...{ kind: 'music', model: 'the-default', prompt: 'slow jazz', title: null, tags: null, action: 'MUSIC' },
    ...{ mv: null, continueClipId: null, continueAtSeconds: null, user: null, options: {} },
  });
});

describe('model', () => {
  test("is the client's", () => {
    expect(read({ model: 'sonic-2' }).model).toBe('sonic-2');
  });

  test('is missing without a default', () => {
    expect(refusal({}, null)).toEqual(['missing_required_parameter', 'model']);
    expect(refusal({ model: 'm' }, null)).toBeNull();
  });

  test('is the default if null', () => {
    expect(read({ model: null }).model).toBe('the-default');
  });

  test.each([
    [7, 'invalid_type'],
    [['m'], 'invalid_type'],
    ['x'.repeat(257), 'invalid_value'],
  ])('is refused with a wrong type or length: %p', (said, code) => {
    expect(refusal({ model: said })).toEqual([code, 'model']);
  });

  test('is missing if empty, without a default', () => {
    expect(refusal({ model: '' })).toEqual(['missing_required_parameter', 'model']);
  });
});

describe('prompt', () => {
  test.each([undefined, null, '', ' \t\n'])('is required: %p', (prompt) => {
    expect(refusal({ prompt })).toEqual(['missing_required_parameter', 'prompt']);
  });

  test('is a string of at most 32,000 characters', () => {
    expect(read({ prompt: 'x'.repeat(32_000) }).prompt).toHaveLength(32_000);
    expect(refusal({ prompt: 'x'.repeat(32_001) })).toEqual(['invalid_value', 'prompt']);
    expect(refusal({ prompt: { text: 'x' } })).toEqual(['invalid_type', 'prompt']);
  });
});

test('title is a string of at most 500 characters', () => {
  expect(read({ title: 'Night' }).title).toBe('Night');
  expect(read({ title: 'x'.repeat(500) }).title).toHaveLength(500);
  expect(refusal({ title: 'x'.repeat(501) })).toEqual(['invalid_value', 'title']);
  expect(refusal({ title: 7 })).toEqual(['invalid_type', 'title']);
});

test('tags is a string of at most 4,000 characters, and not a list', () => {
  expect(read({ tags: 'jazz, piano' }).tags).toBe('jazz, piano');
  expect(read({ tags: 'x'.repeat(4_000) }).tags).toHaveLength(4_000);
  expect(refusal({ tags: 'x'.repeat(4_001) })).toEqual(['invalid_value', 'tags']);
  expect(refusal({ tags: ['jazz'] })).toEqual(['invalid_type', 'tags']);
});

describe('action', () => {
  test('is MUSIC or LYRICS, and MUSIC by default', () => {
    expect(read({ action: 'MUSIC' }).action).toBe('MUSIC');
    expect(read({ action: 'LYRICS' }).action).toBe('LYRICS');
    expect(read({ action: null }).action).toBe('MUSIC');
  });

  test.each(['music', 'Lyrics', 'SONG', '', 'MUSIC '])('%p is refused, naming both', (action) => {
    const failure = parse({ action });
    expect(failure).toMatchObject({ code: 'invalid_value', details: { param: 'action' } });
    expect(failure instanceof Failure && failure.message).toContain('`MUSIC`, `LYRICS`');
  });

  test('is a string', () => {
    expect(refusal({ action: 1 })).toEqual(['invalid_type', 'action']);
  });

  test('LYRICS is left to the music model', () => {
    expect(withAction(read({ action: 'LYRICS' }), model('sonic'))).toMatchObject({ action: 'LYRICS' });
    expect(withAction(read({}), model('sonic'))).toMatchObject({ action: 'MUSIC' });
  });

  test('is always LYRICS for a lyrics model', () => {
    for (const lyrics of [model('sonic-lyrics'), model('writer', 'lyrics')]) {
      expect(withAction(read({}), lyrics)).toMatchObject({ action: 'LYRICS' });
      expect(withAction(read({ action: 'LYRICS' }), lyrics)).toMatchObject({ action: 'LYRICS' });
    }
  });

  test('MUSIC contradicts a lyrics model', () => {
    const failure = withAction(read({ action: 'MUSIC' }), model('sonic-lyrics'));
    expect(failure).toMatchObject({ code: 'invalid_value', details: { param: 'action' } });
  });

  test('LYRICS cannot continue a clip', () => {
    const failure = withAction(read({ action: 'LYRICS', continue_clip_id: 'c' }), model('sonic'));
    expect(failure).toMatchObject({ code: 'invalid_value', details: { param: 'continue_clip_id' } });
    expect(withAction(read({ continue_clip_id: 'c' }), model('sonic-lyrics'))).toBeInstanceOf(Failure);
    expect(withAction(read({ continue_clip_id: 'c' }), model('sonic'))).toMatchObject({ continueClipId: 'c' });
  });
});

test.each([
  [model('lyrics'), true],
  [model('Suno-Lyrics'), true],
  [model('suno_lyrics-v2'), true],
  [model('vendor/lyrics:free'), true],
  [model('lyricstone'), false],
  [model('sonic'), false],
  [model('sonic', 'lyrics'), true],
  [model('sonic', 'has-lyrics'), false],
])('%j writes lyrics only: %p', (one, isLyrics) => {
  expect(isLyricsModel(one)).toBe(isLyrics);
});

test('mv is a string of at most 256 characters', () => {
  expect(read({ mv: 'chirp-v4' }).mv).toBe('chirp-v4');
  expect(refusal({ mv: 'x'.repeat(257) })).toEqual(['invalid_value', 'mv']);
  expect(refusal({ mv: 4 })).toEqual(['invalid_type', 'mv']);
});

describe('continue_clip_id', () => {
  test('is the id of a clip', () => {
    expect(read({ continue_clip_id: 'e231-a' })).toMatchObject({ continueClipId: 'e231-a', continueAtSeconds: null });
  });

  test.each(['', 'a b', 'a\nb', 'ü', 'x'.repeat(257)])('has only the characters of ids: %p', (id) => {
    expect(refusal({ continue_clip_id: id })).toEqual(['invalid_value', 'continue_clip_id']);
  });

  test('is a string', () => {
    expect(refusal({ continue_clip_id: 7 })).toEqual(['invalid_type', 'continue_clip_id']);
  });
});

describe('continue_at', () => {
  test.each([0, 12.5, 86_400])('is a number of seconds: %p', (continue_at) => {
    expect(read({ continue_at, continue_clip_id: 'c' }).continueAtSeconds).toBe(continue_at);
  });

  test.each([
    [-1, 'invalid_value'],
    [86_401, 'invalid_value'],
    ['12', 'invalid_type'],
    [true, 'invalid_type'],
  ])('%p is refused as %s', (continue_at, code) => {
    expect(refusal({ continue_at, continue_clip_id: 'c' })).toEqual([code, 'continue_at']);
  });

  test('requires a clip to continue', () => {
    expect(refusal({ continue_at: 0 })).toEqual(['invalid_value', 'continue_at']);
  });
});

test('user is a string', () => {
  expect(read({ user: 'u-1' }).user).toBe('u-1');
  expect(refusal({ user: { id: 1 } })).toEqual(['invalid_type', 'user']);
});

test('provider_options is an object', () => {
  expect(read({ provider_options: { instrumental: true } }).options).toEqual({ instrumental: true });
  expect(refusal({ provider_options: [1] })).toEqual(['invalid_type', 'provider_options']);
});

test('members are unique and exactly spelled', () => {
  const twice = parseMusic(new TextEncoder().encode('{"prompt":"a","prompt":"b"}'), { defaultModel: () => 'm' });
  expect(twice).toMatchObject({ code: 'invalid_value', details: { param: 'prompt' } });
  expect(refusal({ continueAt: 3 })).toEqual(['invalid_value', 'continueAt']);
  const inherited = parseMusic(new TextEncoder().encode('{"prompt":"a","__proto__":{"title":"t"}}'), {
    defaultModel: () => 'm',
  });
  expect(inherited).toMatchObject({ code: 'invalid_value', details: { param: '__proto__' } });
});
