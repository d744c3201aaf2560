import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import type { MusicRequest } from '../../../domain/tasks/generation-request.ts';
import { HOSTILE_IDS, HOSTILE_VALUES } from '../../shared/testing/hostile-answers.ts';
import { imageAnswer } from '../../shared/testing/image-exchange.ts';
import { PLAIN_MUSIC, polledTask, sentTask, takenTask } from '../../shared/testing/task-exchange.ts';
import { sunoMusic } from './index.ts';

const sent = (asked: Partial<MusicRequest> = {}, model = 'suno_music') => {
  return sentTask(sunoMusic, model, { ...PLAIN_MUSIC, ...asked });
};
const LYRICS = '[Verse]\nThe sea is calm tonight\n\n[Chorus]\nCome to the window';

describe('a request for a song', () => {
  test('is a description by default, for the default version', async () => {
    expect(await sent()).toEqual({
      body: { gpt_description_prompt: 'a calm song about the sea', mv: 'chirp-v3-0' },
      suffix: '/music',
      lost: [],
    });
  });

  test('has the client’s version, else the upstream model if that is one', async () => {
    expect(await sent({ mv: 'chirp-v4' }, 'chirp-v5')).toMatchObject({ body: { mv: 'chirp-v4' } });
    expect(await sent({}, 'chirp-auk')).toMatchObject({ body: { mv: 'chirp-auk' } });
    expect(await sent({ mv: '' }, 'suno-v4')).toMatchObject({ body: { mv: 'chirp-v3-0' } });
  });

  test('with a title and tags stays a description, which is never sung', async () => {
    expect(await sent({ title: 'Sea', tags: 'folk' })).toEqual({
      body: {
        gpt_description_prompt: 'a calm song about the sea, folk',
        ...{ tags: 'folk', title: 'Sea', mv: 'chirp-v3-0' },
      },
      suffix: '/music',
      lost: ['tags approximated', 'title approximated'],
    });
  });

  test.each([LYRICS, 'one\ntwo\nthree\nfour', '[Chorus 2] la la'])(
    'that looks like lyrics is sung: %j',
    async (prompt) => {
      expect(await sent({ prompt, title: 'Sea', tags: 'folk' })).toEqual({
        body: { prompt, tags: 'folk', title: 'Sea', mv: 'chirp-v3-0' },
        suffix: '/music',
        lost: [],
      });
    },
  );

  test.each(['sea', 'calm\nsoft\nlow', '[fast] drums', 'a verse and a chorus', ''])(
    'that looks like a style is not sung: %j',
    async (prompt) => {
      const made = await sent({ prompt });
      expect(typeof made === 'string' ? made : made.body.prompt).toBeUndefined();
    },
  );

  test('has lyrics beside the style', async () => {
    expect(await sent({ tags: 'folk', options: { prompt: 'la la' } })).toMatchObject({
      body: { prompt: 'la la', tags: 'folk, a calm song about the sea' },
      lost: [],
    });
    for (const odd of [7, true, ['la'], {}]) {
      expect(await sent({ options: { prompt: odd } })).toBe('400 provider_options.prompt');
    }
  });

  test('for an instrumental has its style and title unchanged', async () => {
    expect(await sent({ title: 'Sea', options: { make_instrumental: true } })).toEqual({
      body: { prompt: '', tags: 'a calm song about the sea', title: 'Sea', mv: 'chirp-v3-0', make_instrumental: true },
      suffix: '/music',
      lost: [],
    });
    expect(await sent({ options: { make_instrumental: true } })).toMatchObject({
      body: { gpt_description_prompt: 'a calm song about the sea', make_instrumental: true },
    });
  });

  test('continues a clip by its id, with or without its job', async () => {
    expect(await sent({ prompt: LYRICS, continueClipId: 'clip-1', continueAtSeconds: 80.5 })).toEqual({
      body: { prompt: LYRICS, mv: 'chirp-v3-0', continue_clip_id: 'clip-1', continue_at: 80.5 },
      suffix: '/music',
      lost: [],
    });
    expect(await sent({ continueClipId: 'job-1~clip-1', continueAtSeconds: 0, tags: 'folk' })).toMatchObject({
      body: {
        prompt: '',
        tags: 'folk, a calm song about the sea',
        continue_clip_id: 'clip-1',
        task_id: 'job-1',
        continue_at: 0,
      },
      lost: ['prompt approximated'],
    });
    expect(await sent({ continueClipId: 'job-1~clip-1', options: { task_id: 'own' } })).toMatchObject({
      body: { task_id: 'own' },
    });
    for (const id of ['~clip', 'job~', '~']) {
      expect(await sent({ continueClipId: id })).toMatchObject({ body: { continue_clip_id: id } });
    }
  });

  test('has no option that replaces a field, and reports what it cannot carry', async () => {
    for (const option of ['mv', 'gpt_description_prompt']) {
      expect(await sent({ options: { [option]: 'x' } })).toBe(`400 provider_options.${option}`);
    }
    expect(await sent({ user: 'u', body: { duration: 3 } })).toMatchObject({
      lost: ['duration dropped', 'user dropped'],
    });
  });

  test('is for two clips of the version sent', () => {
    const asked = (asks: Partial<MusicRequest>, upstreamModel = 'x') => {
      return sunoMusic.asks({ ...PLAIN_MUSIC, ...asks }, { upstreamModel });
    };
    expect(asked({})).toEqual({ count: 2, seconds: null, resolution: null, traits: ['chirp-v3-0'] });
    expect(asked({ mv: 'chirp-v4' })).toMatchObject({ count: 2, traits: ['chirp-v4'] });
    expect(asked({ action: 'LYRICS', mv: 'chirp-v4' })).toMatchObject({ count: 1, traits: ['lyrics'] });
  });
});

describe('a request for lyrics', () => {
  const action = 'LYRICS';

  test('has only the prompt, whatever the model is called', async () => {
    expect(await sent({ action }, 'suno_music')).toEqual({
      body: { prompt: PLAIN_MUSIC.prompt },
      suffix: '/lyrics',
      lost: [],
    });
    expect(await sent({ action, title: 'Sea', tags: 'folk', mv: 'chirp-v4' })).toMatchObject({
      body: { prompt: PLAIN_MUSIC.prompt },
      lost: ['mv dropped', 'tags dropped', 'title dropped'],
    });
  });

  test('cannot continue a clip', async () => {
    expect(await sent({ action, continueClipId: 'clip-1' })).toBe('400 continue_clip_id');
    expect(await sent({ action, continueAtSeconds: 3 })).toBe('400 continue_at');
  });
});

describe('a job', () => {
  const id = '736a6f88-bd29-4b1e-b110-37132a5325ac';

  test('is identified by its id', () => {
    for (const body of [
      { code: 'success', message: '', data: id },
      { code: 'SUCCESS', data: { task_id: id } },
      { code: 1, data: { id } },
    ]) {
      expect(takenTask(sunoMusic, body, PLAIN_MUSIC)).toEqual({ id, action: 'MUSIC' });
    }
    expect(sunoMusic.poll({ id, action: 'MUSIC' }, { upstreamModel: 'x' })).toEqual({ url: `/suno/fetch/${id}` });
  });

  test('that was refused was not accepted', () => {
    const refusal = (body: unknown) => takenTask(sunoMusic, body, PLAIN_MUSIC);
    expect(refusal({ code: 'invalid_request', message: 'prompt_empty' })).toMatchObject({
      status: 400,
      side: 'client',
    });
    expect(refusal({ code: 'fail', message: 'no account at https://x.example/a' })).toMatchObject({
      side: 'upstream',
      message: 'no account at',
    });
    for (const value of HOSTILE_VALUES) {
      for (const body of [value, { code: value, data: id, message: value }, { code: 1, data: value }]) {
        const taken = refusal(body);
        if (value === 1 || value === 'x') continue;
        expect(taken instanceof Failure || 'id' in taken).toBe(true);
      }
    }
    for (const odd of HOSTILE_IDS.filter((value) => !(typeof value === 'object' && value !== null && 'id' in value))) {
      expect(refusal({ code: 'success', data: odd })).toBeInstanceOf(Failure);
      expect(refusal({ code: 'success', data: { task_id: odd } })).toBeInstanceOf(Failure);
    }
  });
});

const TICKET = { id: 'job-1', action: 'MUSIC' };
const report = (task: unknown, ticket = TICKET) =>
  polledTask(sunoMusic, { code: 'success', message: '', data: task }, ticket);

const CLIP = {
  id: 'clip-1',
  ...{ status: 'complete', title: 'Sea', model_name: 'chirp-v3' },
  ...{ audio_url: 'https://cdn.suno.example/1.mp3', video_url: 'https://cdn.suno.example/1.mp4' },
  ...{ image_url: 'https://cdn.suno.example/s.png', image_large_url: 'https://cdn.suno.example/l.png' },
  metadata: { tags: 'folk', prompt: LYRICS, duration: 173.04, error_message: null },
};

describe('the poll of a song', () => {
  test.each([
    ...[
      ['', 'pending'],
      ['NOT_START', 'pending'],
      ['SUBMITTED', 'pending'],
      ['QUEUED', 'pending'],
      ['queueing', 'pending'],
    ],
    ...[
      ['IN_PROGRESS', 'processing'],
      ['in_progress', 'processing'],
      ['processing', 'processing'],
    ],
  ])('in the state “%s” is %s', (status, expected) => {
    expect(report({ task_id: 'job-1', status, progress: '35%', data: [CLIP] })).toEqual({
      state: 'working',
      status: expected,
      progress: 35,
    } as never);
  });

  test.each(['SUCCESS', 'success', 'complete'])('in the state “%s” has the clips', (status) => {
    expect(report({ status, progress: '100%', data: [CLIP, { ...CLIP, clip_id: 'clip-2', id: undefined }] })).toEqual({
      state: 'done',
      result: {
        model: 'chirp-v3',
        items: ['clip-1', 'clip-2'].map((clip) => ({
          source: { kind: 'url', url: CLIP.audio_url },
          ...{ mediaType: 'audio/mpeg', durationSeconds: 173.04, title: 'Sea', lyrics: LYRICS, tags: 'folk' },
          cover: { kind: 'url', url: CLIP.image_large_url },
          video: { kind: 'url', url: CLIP.video_url },
          clipId: `job-1~${clip}`,
        })),
      },
    } as never);
  });

  test('finds clips in every place that proxies use', () => {
    const bare = {
      clip_id: 'a',
      audio_url: 'https://a.example/1.wav',
      duration: '12.5',
      tags: ['x', 7, 'y'],
      prompt: 'la',
    };
    for (const data of [[bare], JSON.stringify([bare]), { clips: [bare] }, { clips: { a: bare } }, bare]) {
      expect(report({ status: 'SUCCESS', data })).toMatchObject({
        result: {
          items: [{ mediaType: 'audio/wav', durationSeconds: 12.5, tags: 'x, y', lyrics: 'la', clipId: 'job-1~a' }],
        },
      });
    }
  });

  test('gives a clip no id that is too long to be sent back', () => {
    const long = 'x'.repeat(200);
    expect(report({ status: 'SUCCESS', data: [{ ...CLIP, id: long }] }, { ...TICKET, id: long })).toMatchObject({
      result: { items: [{ clipId: long }] },
    });
  });

  test('drops a failed clip, and fails if none is left', () => {
    const bad = { id: 'b', status: 'error', audio_url: '', metadata: { error_message: 'out of voices' } };
    const some = report({ status: 'SUCCESS', data: [bad, CLIP] });
    expect(some instanceof Failure || some.state !== 'done' ? some : some.result.items.length).toBe(1);
    expect(report({ status: 'SUCCESS', data: [bad] })).toMatchObject({
      state: 'failed',
      failure: { side: 'upstream', message: 'The job failed: out of voices' },
    });
    expect(report({ status: 'SUCCESS', data: null })).toMatchObject({ state: 'failed' });
  });

  test.each(['FAILURE', 'failed', 'error'])('in the state “%s” has the reason', (status) => {
    expect(report({ status, fail_reason: 'generate failed, see https://x.example/y', data: null })).toMatchObject({
      state: 'failed',
      failure: {
        kind: 'job_failed',
        side: 'upstream',
        message: 'The job failed: generate failed, see',
      },
    });
    expect(report({ status, fail_reason: '', data: [] })).toMatchObject({ failure: { side: 'upstream' } });
  });

  test.each([
    'Song Description flagged for moderation',
    'lyrics contain copyrighted material',
    'artist names are not allowed: artist name',
  ])('that a filter refused is a client error: %s', (reason) => {
    expect(report({ status: 'FAILURE', fail_reason: reason })).toMatchObject({
      failure: { side: 'client', kind: 'content_refused', status: 400 },
    });
  });

  test('with invalid values never throws, and is not a success', () => {
    for (const value of HOSTILE_VALUES) {
      expect(report(value) instanceof Failure).toBe(true);
      expect(polledTask(sunoMusic, value, TICKET)).toBeInstanceOf(Failure);
      if (value !== '') expect(report({ status: value, data: [CLIP] })).toBeInstanceOf(Failure);
      expect(report({ status: 'SUCCESS', data: value })).toMatchObject({ state: 'failed' });
      expect(report({ status: 'SUCCESS', data: [{ ...CLIP, audio_url: value }] })).toMatchObject({ state: 'failed' });
      expect(report({ status: 'FAILURE', fail_reason: value, data: value })).toMatchObject({ state: 'failed' });
      for (const name of [...Object.keys(CLIP), ...Object.keys(CLIP.metadata)]) {
        const clip = { ...CLIP, [name]: value, metadata: { ...CLIP.metadata, [name]: value } };
        expect(report({ status: 'SUCCESS', progress: value, data: [clip] })).not.toBeInstanceOf(Failure);
      }
    }
  });
});

describe('the poll of lyrics', () => {
  const ticket = { id: 'job-1', action: 'LYRICS' };

  test('has them with their title', () => {
    const data = { id: 'job-1', text: LYRICS, title: 'Sea', status: 'complete', tags: ['folk', 'slow'] };
    for (const all of [data, [data], JSON.stringify(data)]) {
      expect(report({ status: 'SUCCESS', data: all }, ticket)).toEqual({
        state: 'done',
        result: {
          model: null,
          items: [{ source: null, mediaType: null, title: 'Sea', lyrics: LYRICS, tags: 'folk, slow' }],
        },
      } as never);
    }
  });

  test('without any has failed', () => {
    for (const data of [
      { text: '', status: 'complete' },
      { text: 7 },
      null,
      [],
      { text: 'x', status: 'error', error_message: 'no' },
    ]) {
      expect(report({ status: 'SUCCESS', data }, ticket)).toMatchObject({ state: 'failed' });
    }
  });
});

describe('the poll of several jobs', () => {
  const { batch } = sunoMusic;
  const tickets = ['a', 'b', 'c'].map((id) => ({ id, action: 'MUSIC' }));
  const decode = (body: unknown) => batch?.decode(imageAnswer(body), tickets, { upstreamModel: 'x' });

  test('names them all, and their kind if it is the same', () => {
    const asked = (some: typeof tickets) => {
      const { url, method, body } = batch!.poll(some, { upstreamModel: 'x' });
      return { url, method, body: JSON.parse(new TextDecoder().decode(body)) };
    };
    expect(asked(tickets)).toEqual({
      url: '/suno/fetch',
      method: 'POST',
      body: { ids: ['a', 'b', 'c'], action: 'MUSIC' },
    });
    expect(asked([tickets[0]!, { id: 'd', action: 'LYRICS' }]).body).toEqual({ ids: ['a', 'd'] });
  });

  test('is matched in any order, with some missing', () => {
    const data = [
      { task_id: 'c', status: 'SUCCESS', data: [CLIP] },
      { task_id: 'a', status: 'QUEUED' },
      { task_id: 'z' },
      7,
    ];
    expect(decode({ code: 'success', data })).toEqual([
      { state: 'working', status: 'pending', progress: null },
      null,
      { state: 'done', result: { model: 'chirp-v3', items: [expect.objectContaining({ clipId: 'c~clip-1' })] } },
    ] as never);
  });

  test('with invalid values never throws', () => {
    for (const value of HOSTILE_VALUES) {
      expect(decode(value)).toBeInstanceOf(Failure);
      if (!Array.isArray(value)) expect(decode({ code: 'success', data: value })).toBeInstanceOf(Failure);
      expect(
        decode({
          code: 'success',
          data: [value, { task_id: value }, { task_id: 'a', status: value === '' ? 0 : value }],
        }),
      ).toEqual([null, null, null] as never);
    }
  });
});
