import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import type { MusicRequest } from '../../../domain/tasks/generation-request.ts';
import { ODD_VALUES } from '../../shared/testing/image-samples.ts';
import { PLAIN_MUSIC, polledTask, sentTask, submittedTask } from '../../shared/testing/task-exchange.ts';
import { replicateMusic } from './index.ts';

const MUSICGEN = 'meta/musicgen:abc';

const sent = (id: string, asked: Partial<MusicRequest> = {}) =>
  sentTask(replicateMusic, id, { ...PLAIN_MUSIC, ...asked });
const asks = (id: string, asked: Partial<MusicRequest> = {}) =>
  replicateMusic.asks({ ...PLAIN_MUSIC, ...asked }, { upstreamModel: id });

describe('a request', () => {
  test("has the prompt in the model's member, with the tags appended", async () => {
    expect(await sent('google/lyria-2', { tags: 'slow, soft', title: 'Snow', mv: 'v4', user: 'u' })).toEqual({
      body: { input: { prompt: 'a calm song about the sea\nslow, soft' } },
      suffix: '/models/google/lyria-2/predictions',
      lost: ['mv dropped', 'tags approximated', 'title dropped', 'user dropped'],
    });
    expect(await sent('lucataco/ace-step:v')).toMatchObject({
      body: { version: 'lucataco/ace-step:v', input: { tags: 'a calm song about the sea' } },
    });
    expect(await sent('rec-1a2b3c4d')).toEqual({
      ...{
        body: { version: 'rec-1a2b3c4d', input: { prompt: 'a calm song about the sea' } },
        suffix: '/predictions',
        lost: [],
      },
    });
  });

  test('for lyrics only, or to continue a clip, is refused', async () => {
    expect(await sent(MUSICGEN, { action: 'LYRICS' })).toBe('400 action');
    expect(await sent(MUSICGEN, { continueClipId: 'c' })).toBe('400 continue_clip_id');
    expect(await sent(MUSICGEN, { continueAtSeconds: 3 })).toBe('400 continue_at');
  });

  test('is charged for the length in its options', async () => {
    expect(asks(MUSICGEN)).toEqual({ count: 1, seconds: 8, resolution: null });
    expect(asks('rec-1')).toMatchObject({ seconds: null });
    expect(asks(MUSICGEN, { options: { duration: 30 } })).toMatchObject({ seconds: 30 });
    expect(asks('x/y', { options: { music_length_ms: 90_000, seconds_total: 20 } })).toMatchObject({ seconds: 90 });
    expect(await sent(MUSICGEN, { options: { duration: 30, lyrics: 'la' } })).toMatchObject({
      body: { input: { duration: 30, lyrics: 'la' } },
    });
    for (const duration of [0, -1, '30', true, [], {}]) {
      expect(await sent(MUSICGEN, { options: { duration } })).toBe('400 provider_options.duration');
    }
    expect(await sent(MUSICGEN, { options: { prompt: 'other' } })).toBe('400 provider_options.prompt');
  });
});

describe('a song', () => {
  const url = 'https://replicate.delivery/a/out.mp3';
  const polled = (body: unknown) => polledTask(replicateMusic, body, { id: 'abc' });

  test('is found in any member of the output, with its reported properties', () => {
    const source = { kind: 'url', url };
    for (const output of [
      url,
      [url],
      { audio: url },
      { audio_file: { url } },
      { song: url, cover: 'https://x.example/c.png' },
    ]) {
      expect(polled({ status: 'succeeded', output })).toMatchObject({
        ...{ state: 'done', result: { items: [{ source, mediaType: 'audio/mpeg' }] } },
      });
    }
    // A spectrogram next to the audio is not a song.
    expect(polled({ status: 'succeeded', output: [url, 'https://x.example/spectrum.png'] })).toMatchObject({
      result: { items: [{ source }] },
    });
    const told = { audio: { url, duration: 31.5 }, lyrics: 'la', title: 'Snow', tags: ['slow', 7, 'soft'] };
    expect(polled({ status: 'succeeded', output: told })).toMatchObject({
      result: { items: [{ durationSeconds: 31.5, lyrics: 'la', title: 'Snow', tags: 'slow, soft' }] },
    });
  });

  test('of the wrong type is ignored, or has fewer properties', () => {
    for (const odd of ODD_VALUES) {
      expect(polled({ status: 'succeeded', output: { audio: odd } })).toMatchObject({ state: 'failed' });
      const told = { audio: { url, duration: odd }, lyrics: odd, title: odd, tags: odd, cover: odd };
      expect(polled({ status: 'succeeded', output: told })).toMatchObject({ state: 'done' });
      expect(submittedTask(replicateMusic, odd, PLAIN_MUSIC)).toBeInstanceOf(Failure);
    }
  });

  test('that is ready at once is a submission with a result', () => {
    const done = { id: 'abc', status: 'succeeded', output: url };
    expect(submittedTask(replicateMusic, done, PLAIN_MUSIC)).toMatchObject({
      ticket: { id: 'abc' },
      report: { state: 'done' },
    });
    expect(submittedTask(replicateMusic, { ...done, output: null }, PLAIN_MUSIC)).toMatchObject({ kind: 'no_result' });
  });
});
