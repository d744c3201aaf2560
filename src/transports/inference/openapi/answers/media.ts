import { z } from 'zod';
import { TASK_KINDS } from '../../../../domain/tasks/task.ts';
import { anyObject, routing, streamError, unixSeconds } from './common.ts';

const imageUsage = z
  .object({ input_tokens: z.int(), output_tokens: z.int(), total_tokens: z.int() })
  .meta({ id: 'ImageUsage' });

export const imageResult = z
  .object({
    created: unixSeconds,
    data: z.array(
      z.object({
        url: z.string().optional().describe('If `response_format` is `url`. The link expires.'),
        b64_json: z.string().optional().describe('The file in base64, if `response_format` is `b64_json`.'),
        revised_prompt: z.string().nullish(),
      }),
    ),
    background: z.string().optional(),
    output_format: z.string().optional(),
    quality: z.string().optional(),
    size: z.string().optional(),
    usage: imageUsage.optional(),
    _routing: routing,
  })
  .meta({ id: 'ImageResult' });

const imageEventOf = (type: string) => ({
  type: z.literal(type),
  created_at: unixSeconds,
  b64_json: z.string(),
  background: z.string().optional(),
  output_format: z.string().optional(),
  quality: z.string().optional(),
  size: z.string().optional(),
});

const imageEventsOf = (name: string) => [
  z.object({ ...imageEventOf(`${name}.partial_image`), partial_image_index: z.int() }),
  z.object({ ...imageEventOf(`${name}.completed`), usage: imageUsage.optional(), _routing: routing.optional() }),
  streamError,
];

export const imageEvent = z.union(imageEventsOf('image_generation')).meta({ id: 'ImageEvent' });
export const imageEditEvent = z.union(imageEventsOf('image_edit')).meta({ id: 'ImageEditEvent' });

const item = z
  .object({
    url: z.string().optional().describe('A link to the file. It expires.'),
    content_type: z.string().optional(),
    duration: z.number().optional().describe('Seconds.'),
    cover_url: z.string().optional(),
    video_url: z.string().optional(),
    title: z.string().optional(),
    lyrics: z.string().optional(),
    tags: z.string().optional(),
    format: z.string().optional().describe('For a 3D model.'),
    revised_prompt: z.string().optional(),
    clip_id: z.string().optional().describe('The value for `continue_clip_id`.'),
  })
  .meta({ id: 'TaskItem' });

export const task = z
  .object({
    id: z.string(),
    task_id: z.string().describe('Equal to `id`.'),
    object: z.literal('task'),
    kind: z.enum(TASK_KINDS),
    model: z.string(),
    poll_url: z.string().describe('The path to poll every 3 to 5 seconds.'),
    status: z.enum(['pending', 'processing', 'completed', 'failed']),
    created: unixSeconds,
    progress: z.number().optional().describe('Percent.'),
    ended: unixSeconds.optional(),
    expires: unixSeconds.optional().describe('When the task is deleted.'),
    data: z.array(item).optional().describe('The results. Present if `status` is `completed`.'),
    error: z.string().optional().describe('Present if `status` is `failed`.'),
    cancelled: z.literal(true).optional().describe('Present if the task has failed because it was cancelled.'),
    cancel_requested: z.literal(true).optional().describe('Present while a cancelled job has not ended yet.'),
    _routing: routing.optional(),
  })
  .meta({ id: 'Task' });

export const openaiVideo = z
  .object({
    id: z.string().describe('The id of the task. `GET /v1/tasks/{id}` has it, too.'),
    object: z.literal('video'),
    model: z.string(),
    status: z.enum(['queued', 'in_progress', 'completed', 'failed']),
    progress: z.number().describe('Percent.'),
    created_at: unixSeconds,
    completed_at: unixSeconds.nullable(),
    expires_at: unixSeconds.nullable().describe('When the video is deleted.'),
    prompt: z.string().nullable().describe('Cut after 4,000 characters.'),
    seconds: z.string().nullable().describe('The requested length, else the known one.'),
    size: z.string().nullable(),
    remixed_from_video_id: z.string().nullable(),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    _routing: routing.optional(),
  })
  .meta({ id: 'Video' });

export const openaiVideoList = z
  .object({
    object: z.literal('list'),
    data: z.array(openaiVideo),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  })
  .meta({ id: 'VideoList' });

export const deletedVideo = z
  .object({ id: z.string(), object: z.literal('video.deleted'), deleted: z.literal(true) })
  .meta({ id: 'DeletedVideo' });

export const taskList = z
  .object({
    object: z.literal('list'),
    data: z.array(task),
    first_id: z.string().nullable(),
    last_id: z.string().nullable().describe('The `after` of the next page.'),
    has_more: z.boolean(),
  })
  .meta({ id: 'TaskList' });

export const imageOrTask = z
  .union([imageResult, task])
  .meta({ id: 'ImageResultOrTask', description: 'The images, or a task with a `poll_url`.' });

const speechUsage = z.object({ input_tokens: z.int(), output_tokens: z.int(), total_tokens: z.int() });

export const speechEvent = z
  .union([
    z.object({ type: z.literal('speech.audio.delta'), audio: z.string().describe('A part of the file, in base64.') }),
    z.object({ type: z.literal('speech.audio.done'), usage: speechUsage.optional(), _routing: routing.optional() }),
    streamError,
  ])
  .meta({ id: 'SpeechEvent' });

export const audioFile = z.string().meta({ format: 'binary' });

const transcriptionUsage = z
  .object({
    type: z.string().describe('`duration` or `tokens`.'),
    seconds: z.number().optional(),
    input_tokens: z.int().optional(),
    output_tokens: z.int().optional(),
    total_tokens: z.int().optional(),
  })
  .meta({ id: 'TranscriptionUsage' });

const segment = z.object({
  id: z.union([z.int(), z.string()]).optional(),
  start: z.number(),
  end: z.number(),
  text: z.string(),
  speaker: z.string().optional().describe('With `diarized_json`.'),
});

const transcriptMembers = {
  text: z.string(),
  task: z.string().optional(),
  language: z.string().optional().describe('With `verbose_json`.'),
  duration: z.number().optional().describe('Seconds; with `verbose_json` and `diarized_json`.'),
  segments: z.array(segment).optional().describe('With `verbose_json` and `diarized_json`.'),
  words: z
    .array(z.object({ word: z.string(), start: z.number(), end: z.number() }))
    .optional()
    .describe('With `verbose_json` and `timestamp_granularities[]=word`.'),
  logprobs: z.array(anyObject).optional(),
  usage: transcriptionUsage.optional(),
  _routing: routing,
};

export const transcription = z.object(transcriptMembers).meta({ id: 'Transcription' });
const { words: _words, logprobs: _logprobs, ...translationMembers } = transcriptMembers;
export const translation = z.object(translationMembers).meta({ id: 'Translation' });

export const transcriptionEvent = z
  .union([
    z.object({ type: z.literal('transcript.text.delta'), delta: z.string() }),
    z.object({ type: z.literal('transcript.text.segment'), ...segment.shape }),
    z.object({
      type: z.literal('transcript.text.done'),
      text: z.string(),
      usage: transcriptionUsage.optional(),
      _routing: routing.optional(),
    }),
    streamError,
  ])
  .meta({ id: 'TranscriptionEvent' });
