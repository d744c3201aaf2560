import { z } from 'zod';
import { TASK_KINDS, TASK_STATUSES } from '../../../domain/tasks/task.ts';
import type { DescribedEndpoint, DescribedTag } from '../../shared/openapi/described-endpoint.ts';
import { task, taskList } from './answers/media.ts';
import { call, example, read } from './describe.ts';
import { KEYED, NAMING_CALL } from './errors.ts';
import { jsonRequest } from './request-schema.ts';

export const TASK_TAGS: readonly DescribedTag[] = [
  { name: 'Videos, music and 3D', description: 'Long work: the response is a task.' },
  { name: 'Tasks', description: 'The progress and results of long work.' },
];

const images = z.array(z.string()).max(16);
const providerOptions = z.object({}).describe('Provider-specific members.');

const made = { answer: task, answerDescription: 'The task. Poll its `poll_url` every 3 to 5 seconds.' };

const generations: readonly DescribedEndpoint[] = [
  call({
    path: '/v1/videos/generations',
    operationId: 'createVideo',
    tag: 'Videos, music and 3D',
    summary: 'Create a video',
    body: {
      schema: jsonRequest('videos.generations', {
        id: 'VideoRequest',
        members: {
          image_urls: z
            .array(
              z.union([
                z.string(),
                z.object({ url: z.string(), role: z.enum(['first', 'last', 'reference']).nullish() }),
              ]),
            )
            .max(16),
          reference_image_urls: images,
        },
      }),
      examples: {
        text: example('From text', { model: 'sandbox-video', prompt: 'A fox runs through the snow', duration: 5 }),
      },
    },
    ...made,
  }),
  call({
    path: '/v1/music/generations',
    operationId: 'createMusic',
    errors: NAMING_CALL,
    tag: 'Videos, music and 3D',
    summary: 'Create music or lyrics',
    body: {
      schema: jsonRequest('music.generations', { id: 'MusicRequest', members: { provider_options: providerOptions } }),
      examples: {
        music: example('A song', { model: 'sandbox-music', prompt: 'A slow song about snow', title: 'Snow' }),
        lyrics: example('Only lyrics', {
          model: 'sandbox-lyrics',
          prompt: 'A slow song about snow',
          action: 'LYRICS',
        }),
      },
    },
    ...made,
  }),
  call({
    path: '/v1/3d/generations',
    operationId: 'create3dModel',
    tag: 'Videos, music and 3D',
    summary: 'Create a 3D model',
    body: {
      schema: jsonRequest('3d.generations', { id: 'ThreeDRequest', members: { image_urls: images } }),
      examples: { text: example('From text', { model: 'sandbox-3d', prompt: 'A wooden chair', format: 'glb' }) },
    },
    ...made,
  }),
];

const OLDER_PATHS = { images: 'Image', videos: 'Video', music: 'Music', '3d': '3dModel' };

const reading = {
  tag: 'Tasks',
  pathParameters: z.object({ id: z.string().describe('The id of the task.') }),
  errors: [...KEYED, 'async_task_not_found'],
  answer: task,
  answerDescription: 'The status of the task, and its results when it is completed.',
} as const;

const unixTime = z.int().min(0).optional();

const status: readonly DescribedEndpoint[] = [
  read({
    path: '/v1/tasks',
    operationId: 'listTasks',
    tag: 'Tasks',
    summary: 'List the tasks of the account',
    description: 'All tasks of the account that can still be read, of all its keys.',
    query: z.object({
      limit: z.int().min(1).max(100).optional().describe('The most tasks per page. The default is 20.'),
      after: z.string().optional().describe('The id of the last task of the previous page.'),
      order: z.enum(['asc', 'desc']).optional().describe('By time of creation. The default is `desc`.'),
      status: z.enum(TASK_STATUSES).optional(),
      kind: z.enum(TASK_KINDS).optional(),
      operation: z.string().optional().describe('An operation of models, such as `videos.generations`; like `kind`.'),
      category: z.enum(TASK_KINDS).optional().describe('The category of models; like `kind`.'),
      model: z.string().optional(),
      key: z.string().optional().describe('The id of a key, or `current` for the key of the request.'),
      created_after: unixTime.describe('Only tasks created after this Unix time.'),
      created_before: unixTime.describe('Only tasks created before this Unix time.'),
    }),
    errors: KEYED,
    answer: taskList,
    answerDescription: 'A page of tasks.',
  }),
  {
    ...read({
      path: '/v1/tasks/{id}/cancel',
      operationId: 'cancelTask',
      summary: 'Cancel a task',
      description:
        'Cancels the job at the provider, if the provider can do that and the job has not begun. A 409 says why the task goes on. ' +
        'A cancelled task costs nothing.',
      ...reading,
      errors: [...KEYED, 'async_task_not_found', 'conflict', 'upstream_error'],
    }),
    method: 'post',
  },
  read({ path: '/v1/tasks/{id}', operationId: 'getTask', summary: 'Read a task', ...reading }),
  ...Object.entries(OLDER_PATHS).map(([segment, name]) =>
    read({
      path: `/v1/${segment}/generations/{id}`,
      operationId: `get${name}Task`,
      summary: `Read a task of type ${segment}`,
      description: 'For older clients. Use the `poll_url` instead.',
      isDeprecated: true,
      ...reading,
    }),
  ),
];

export const taskEndpoints: readonly DescribedEndpoint[] = [...generations, ...status];
