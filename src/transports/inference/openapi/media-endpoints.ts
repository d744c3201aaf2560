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
  { name: 'Images', description: 'Making and editing images.' },
  {
    name: 'Audio',
    description: 'Speech from text, and text from speech. Set the timeout of your client to 120 seconds at least.',
  },
];

const imageUrls = z.array(z.string()).max(16);
/** Members that the contract's table lacks. */
const EDIT_MEMBERS = {
  image: z.union([z.string().meta({ format: 'binary' }), z.array(z.string().meta({ format: 'binary' })).max(16)]),
  quality: z.string().describe('Higher takes longer, and costs more at most models.'),
  background: z.enum(['transparent', 'opaque', 'auto']).describe('The background of the image.'),
  input_fidelity: z.enum(['high', 'low']).describe('How closely the input images are followed.'),
  output_format: z.enum(IMAGE_FILE_FORMATS).describe('The file format of the image.'),
  output_compression: z.int().min(0).max(100).describe('The quality of jpeg and webp in percent.'),
  stream: z.boolean().describe('Whether the image comes as server-sent events.'),
  partial_images: z.int().min(0).max(3).describe('How many unfinished images a stream shows before the last one.'),
  async: z.boolean().describe('Answers at once with a task to poll. Not together with `stream`.'),
};

const images: readonly DescribedEndpoint[] = [
  call({
    path: '/v1/images/generations',
    operationId: 'createImage',
    errors: NAMING_CALL,
    tag: 'Images',
    summary: 'Make images',
    description:
      'Some models answer with the images, some with a task, and some with either: if the answer has a `poll_url`, follow it. For an image to begin with send `operation: image-to-image` and its `image_url`.',
    body: {
      schema: jsonRequest('images.generations', {
        id: 'ImageRequest',
        members: {
          image_urls: imageUrls,
          quality: z.string(),
          style: z.string(),
          input_fidelity: z.enum(['high', 'low']).describe('How closely the input images are followed.'),
          provider_options: z.object({}).describe('Members that only the provider of the model knows.'),
        },
      }),
      examples: {
        image: example('An image', { model: 'sandbox-image', prompt: 'A fox in the snow', size: '64x64' }),
        inline: example('An image in the answer itself', {
          model: 'sandbox-image',
          prompt: 'A fox in the snow',
          size: '64x64',
          response_format: 'b64_json',
        }),
        task: example('A task', { model: 'sandbox-slow-image', prompt: 'A fox in the snow', async: true }),
        stream: example('A stream with an unfinished image', {
          model: 'sandbox-image',
          prompt: 'A fox in the snow',
          size: '64x64',
          stream: true,
          partial_images: 1,
        }),
      },
    },
    answer: imageOrTask,
    answerDescription: 'The images, a task, or with `stream: true` the events of an image that is being made.',
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
      summary: 'Speak a text',
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
        description: 'The audio file, while it is made, or with `stream_format: sse` its events.',
        content: { ...files, [EVENTS_TYPE]: { schema: speechEvent } },
      },
    ],
  },
  form({
    path: '/v1/audio/transcriptions',
    operationId: 'createTranscription',
    tag: 'Audio',
    summary: 'Write down what is said',
    body: {
      schema: formRequest('audio.transcriptions', {
        id: 'TranscriptionRequest',
        members: {
          chunking_strategy: z.union([z.string(), z.object({ type: z.string() })]),
          provider_options: z.string().describe('Members that only the provider of the model knows, as JSON.'),
        },
      }),
    },
    answer: answerOf('The text in the `response_format`, or with `stream` its events.', transcription, {
      ...PLAIN_TEXT,
      [EVENTS_TYPE]: { schema: transcriptionEvent },
    }),
  }),
  form({
    path: '/v1/audio/translations',
    operationId: 'createTranslation',
    tag: 'Audio',
    summary: 'Write down in English what is said',
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
