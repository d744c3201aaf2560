import { expect, test } from 'bun:test';
import type { MusicRequest } from '../../../domain/tasks/generation-request.ts';
import { PLAIN_MUSIC, polledTask, sentTask, submittedTask } from '../../shared/testing/task-exchange.ts';
import { falMusic } from './index.ts';

const sent = (id: string, asked: Partial<MusicRequest> = {}) => sentTask(falMusic, id, { ...PLAIN_MUSIC, ...asked });

test('a request goes to the model’s own path, with options beside the prompt', async () => {
  const asked = { tags: 'soft', options: { lyrics_prompt: 'la', music_length_ms: 60_000 } };
  expect(await sent('fal-ai/minimax-music/v2', asked)).toEqual({
    body: { prompt: 'a calm song about the sea\nsoft', lyrics_prompt: 'la', music_length_ms: 60_000 },
    suffix: '/fal-ai/minimax-music/v2',
    lost: ['tags approximated'],
  });
  expect(await sent('fal-ai/ace-step')).toMatchObject({ body: { tags: 'a calm song about the sea' } });
  expect(falMusic.asks({ ...PLAIN_MUSIC, ...asked }, { upstreamModel: 'x' })).toMatchObject({ seconds: 60 });
  expect(await sent('fal-ai/lyria2', { action: 'LYRICS' })).toBe('400 action');
  expect(await sent('fal-ai/lyria2', { options: { seconds_total: 'long' } })).toBe(
    '400 provider_options.seconds_total',
  );
});

test('a song is polled at the app of the model, and read from either of its members', () => {
  const submission = submittedTask(
    falMusic,
    { request_id: 'r-1', status: 'IN_QUEUE' },
    PLAIN_MUSIC,
    'fal-ai/minimax-music/v2',
  );
  const ticket = { id: 'r-1', app: '/fal-ai/minimax-music', step: 'status' };
  expect(submission).toMatchObject({ ticket });
  const file = { url: 'https://v3.fal.media/files/a.wav', content_type: 'audio/wav' };
  for (const body of [{ audio: file }, { audio_file: file }, { audio: [file] }, { audio_url: file.url }]) {
    expect(polledTask(falMusic, body, { ...ticket, step: 'result' })).toMatchObject({
      ...{ state: 'done', result: { items: [{ source: { url: file.url }, mediaType: 'audio/wav' }] } },
    });
  }
});
