import { z } from 'zod';
import { IMAGE_FILE_FORMATS } from '../../../domain/images/images.ts';
import type { DescribedContent, DescribedEndpoint, DescribedTag } from '../../shared/openapi/described-endpoint.ts';
import {
  audioFile,
  imageEditEvent,
  imageEvent,
  imageOrTask,
  speechEvent,
  transcription,
  transcriptionEvent,
  translation,
} from './answers/media.ts';
import { answerOf, call, EVENTS_TYPE, example, FORM_TYPE, KEY } from './describe.ts';
import { CALL, NAMING_CALL } from './errors.ts';
import { formRequest, jsonRequest } from './request-schema.ts';

export const MEDIA_TAGS: readonly DescribedTag[] = [
  { name: 'Images', description: 'Create and edit images.' },
  {
    name: 'Audio',
    description: 'Text to speech, and speech to text. Set your client’s timeout to at least 120 seconds.',
  },
];

const imageUrls = z.array(z.string()).max(16);
/** Members that the contract's table lacks. */
const EDIT_MEMBERS = {
  image: z.union([z.string().meta({ format: 'binary' }), z.array(z.string().meta({ format: 'binary' })).max(16)]),
  quality: z.string().describe('Higher quality takes longer, and costs more with most models.'),
  background: z.enum(['transparent', 'opaque', 'auto']).describe('The background of the image.'),
  input_fidelity: z.enum(['high', 'low']).describe('How closely the result follows the input images.'),
  output_format: z.enum(IMAGE_FILE_FORMATS).describe('The file format of the image.'),
  output_compression: z.int().min(0).max(100).describe('The quality of jpeg and webp, in percent.'),
  stream: z.boolean().describe('Whether to send the image as server-sent events.'),
  partial_images: z
    .int()
    .min(0)
    .max(3)
    .describe('The number of partial images that a stream sends before the final one.'),
  async: z.boolean().describe('Whether to return a task to poll at once. Cannot be combined with `stream`.'),
};

const images: readonly DescribedEndpoint[] = [
  call({
    path: '/v1/images/generations',
    operationId: 'createImage',
    errors: NAMING_CALL,
    tag: 'Images',
    summary: 'Create images',
    description:
      'Depending on the model, the response has the images or a task. If it has a `poll_url`, poll it. To start from an image, send `operation: image-to-image` and its `image_url`.',
    body: {
      schema: jsonRequest('images.generations', {
        id: 'ImageRequest',
        members: {
          image_urls: imageUrls,
          quality: z.string(),
          style: z.string(),
          input_fidelity: z.enum(['high', 'low']).describe('How closely the result follows the input images.'),
          provider_options: z.object({}).describe('Provider-specific members.'),
        },
      }),
      examples: {
        image: example('An image', { model: 'sandbox-image', prompt: 'A fox in the snow', size: '64x64' }),
        inline: example('An image inside the response', {
          model: 'sandbox-image',
          prompt: 'A fox in the snow',
          size: '64x64',
          response_format: 'b64_json',
        }),
        task: example('A task', { model: 'sandbox-slow-image', prompt: 'A fox in the snow', async: true }),
        stream: example('A stream with a partial image', {
          model: 'sandbox-image',
          prompt: 'A fox in the snow',
          size: '64x64',
          stream: true,
          partial_images: 1,
        }),
      },
    },
    answer: imageOrTask,
    answerDescription: 'The images, a task, or with `stream: true`, the events of an image in progress.',
    event: imageEvent,
  }),
  form({
    path: '/v1/images/edits',
    operationId: 'editImage',
    tag: 'Images',
    summary: 'Edit an image',
    body: {
      schema: formRequest('images.edits', { id: 'ImageEditRequest', members: EDIT_MEMBERS }),
    },
    answer: answerOf('The images, or a task.', imageOrTask, { [EVENTS_TYPE]: { schema: imageEditEvent } }),
  }),
];

const AUDIO_TYPES = ['audio/mpeg', 'audio/opus', 'audio/aac', 'audio/flac', 'audio/wav', 'audio/pcm'];
const files = Object.fromEntries(AUDIO_TYPES.map((type) => [type, { schema: audioFile }]));
const PLAIN_TEXT = { 'text/plain': { schema: z.string() }, 'text/vtt': { schema: z.string() } };

const audio: readonly DescribedEndpoint[] = [
  {
    ...call({
      path: '/v1/audio/speech',
      operationId: 'createSpeech',
      errors: NAMING_CALL,
      tag: 'Audio',
      summary: 'Create speech',
      body: {
        schema: jsonRequest('audio.speech', {
          id: 'SpeechRequest',
          members: { voice: z.union([z.string(), z.object({ id: z.string() })]) },
        }),
        examples: {
          wav: example('A WAV file', { model: 'sandbox-speech', input: 'Hello!', response_format: 'wav' }),
          events: example('Events', { model: 'sandbox-speech', input: 'Hello!', stream_format: 'sse' }),
        },
      },
      answer: audioFile,
      answerDescription: '',
    }),
    answers: [
      {
        status: 200,
        description: 'The audio file as it is generated, or with `stream_format: sse`, its events.',
        content: { ...files, [EVENTS_TYPE]: { schema: speechEvent } },
      },
    ],
  },
  form({
    path: '/v1/audio/transcriptions',
    operationId: 'createTranscription',
    tag: 'Audio',
    summary: 'Transcribe audio',
    body: {
      schema: formRequest('audio.transcriptions', {
        id: 'TranscriptionRequest',
        members: {
          chunking_strategy: z.union([z.string(), z.object({ type: z.string() })]),
          provider_options: z.string().describe('Provider-specific members, as JSON.'),
        },
      }),
    },
    answer: answerOf('The text in the `response_format`, or with `stream`, its events.', transcription, {
      ...PLAIN_TEXT,
      [EVENTS_TYPE]: { schema: transcriptionEvent },
    }),
  }),
  form({
    path: '/v1/audio/translations',
    operationId: 'createTranslation',
    tag: 'Audio',
    summary: 'Translate audio to English',
    body: { schema: formRequest('audio.translations', { id: 'TranslationRequest' }) },
    answer: answerOf('The English text in the `response_format`.', translation, PLAIN_TEXT),
  }),
];

type DescribedForm = Pick<DescribedEndpoint, 'path' | 'operationId' | 'tag' | 'summary'> & {
  readonly body: DescribedContent;
  readonly answer: DescribedEndpoint['answers'][number];
};

function form({ body, answer, ...rest }: DescribedForm): DescribedEndpoint {
  return {
    method: 'post',
    security: KEY,
    envelope: 'openai',
    errors: CALL,
    body: { content: { [FORM_TYPE]: body } },
    answers: [answer],
    ...rest,
  };
}

export const mediaEndpoints: readonly DescribedEndpoint[] = [...images, ...audio];
