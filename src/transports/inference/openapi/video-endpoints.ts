import { z } from 'zod';
import type { DescribedContent, DescribedEndpoint } from '../../shared/openapi/described-endpoint.ts';
import { deletedVideo, openaiVideo, openaiVideoList } from './answers/media.ts';
import { call, example, FORM_TYPE, JSON_TYPE, read } from './describe.ts';
import { CALL, KEYED } from './errors.ts';

/* `/v1/videos` as OpenAI's clients call it. */

const TAG = 'Videos, music and 3D';
const WITH_ID = [...KEYED, 'async_task_not_found'] as const;

const shape = {
  model: z.string().nullish().describe('By default `sora-2`, if a channel has it, else another model for videos.'),
  prompt: z.string().describe('A description of the video.'),
  seconds: z.string().nullish().describe('The length, such as `8`.'),
  size: z.string().nullish().describe('Pixels, such as `1280x720`.'),
};
const reference = 'The first frame.';
const inJson = z
  .object({ ...shape, input_reference: z.object({ image_url: z.string() }).nullish().describe(reference) })
  .meta({ id: 'OpenaiVideoRequest' });
const inForm = z
  .object({ ...shape, input_reference: z.string().meta({ format: 'binary' }).optional().describe(reference) })
  .meta({ id: 'OpenaiVideoForm' });

const prompt = z.string().describe('A description of the change.');
const remix = z.object({ prompt }).meta({ id: 'VideoRemixRequest' });
const edit = z
  .object({ prompt, video: z.object({ id: z.string() }).describe('A completed video of the account.') })
  .meta({ id: 'VideoEditRequest' });

const made = { answer: openaiVideo, answerDescription: 'The video job. Read it until it is completed or failed.' };
const one = { tag: TAG, pathParameters: z.object({ id: z.string().describe('The id of the video.') }) };

/** Describes a call whose body may also be a form. */
function eitherCall(
  endpoint: Omit<Parameters<typeof call>[0], 'answer' | 'answerDescription'>,
  form: DescribedContent,
) {
  const described = call({ ...endpoint, ...made });
  return { ...described, body: { content: { [JSON_TYPE]: endpoint.body, [FORM_TYPE]: form } } };
}

export const videoEndpoints: readonly DescribedEndpoint[] = [
  eitherCall(
    {
      ...{
        path: '/v1/videos',
        operationId: 'createOpenaiVideo',
        tag: TAG,
        summary: 'Create a video, for OpenAI’s clients',
      },
      description: 'Takes the fields of `POST /v1/videos/generations`, too.',
      body: {
        schema: inJson,
        examples: { text: example('From text', { model: 'sandbox-video', prompt: 'A fox runs', seconds: '4' }) },
      },
    },
    { schema: inForm },
  ),
  read({
    ...{ path: '/v1/videos', operationId: 'listOpenaiVideos', tag: TAG, summary: 'List videos, for OpenAI’s clients' },
    query: z.object({
      limit: z.int().min(1).max(100).optional().describe('The most videos per page. The default is 20.'),
      after: z.string().optional().describe('The id of the last video of the previous page.'),
      order: z.enum(['asc', 'desc']).optional().describe('By time of creation. The default is `desc`.'),
    }),
    errors: KEYED,
    answer: openaiVideoList,
    answerDescription: 'A page of the account’s videos.',
  }),
  read({
    ...{
      path: '/v1/videos/{id}',
      operationId: 'getOpenaiVideo',
      summary: 'Read a video, for OpenAI’s clients',
      ...one,
    },
    errors: WITH_ID,
    answer: openaiVideo,
    answerDescription: 'The video job.',
  }),
  {
    ...read({
      ...{ path: '/v1/videos/{id}', operationId: 'deleteOpenaiVideo', summary: 'Delete a video', ...one },
      description: 'Removes a completed or failed video and its stored files. Its charge remains.',
      errors: [...WITH_ID, 'conflict'],
      answer: deletedVideo,
      answerDescription: 'Deleted.',
    }),
    method: 'delete',
  },
  {
    ...read({
      ...{ path: '/v1/videos/{id}/content', operationId: 'getOpenaiVideoContent', summary: 'Download a video', ...one },
      query: z.object({ variant: z.enum(['video', 'thumbnail', 'spritesheet']).optional() }),
      errors: [...WITH_ID, 'conflict', 'object_not_found'],
      answer: openaiVideo,
      answerDescription: '',
    }),
    answers: [
      {
        status: 200,
        description: 'The file, if the gateway stores it. A `Range` header is answered with a 206.',
        content: {
          'video/mp4': { schema: z.string().meta({ format: 'binary' }) },
          'image/png': { schema: z.string().meta({ format: 'binary' }) },
        },
      },
      { status: 302, description: 'The public URL of the provider’s file.' },
    ],
  },
  call({
    ...{ path: '/v1/videos/{id}/remix', operationId: 'remixOpenaiVideo', summary: 'Change a video', ...one },
    description: 'Makes a new video from a completed one, with the same model.',
    errors: [...CALL, 'async_task_not_found', 'conflict'],
    body: { schema: remix },
    ...made,
  }),
  eitherCall(
    {
      ...{
        path: '/v1/videos/edits',
        operationId: 'editOpenaiVideo',
        tag: TAG,
        summary: 'Change a video named in the body',
      },
      errors: [...CALL, 'async_task_not_found', 'conflict'],
      body: { schema: edit },
    },
    {
      schema: z
        .object({ prompt, 'video[id]': z.string().describe('A completed video of the account.') })
        .meta({ id: 'VideoEditForm' }),
    },
  ),
];
