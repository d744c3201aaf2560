import { MODEL_FORMATS, VIDEO_OPERATIONS } from '../tasks/generation-request.ts';
import { MODEL, TEMPERATURE_DESCRIPTION, USER } from './common-parameters.ts';
import type { ModelOperation, Parameter } from './model-operation.ts';
import type { TextOperation } from './text-operations.ts';

type Parameters = Readonly<Record<string, Parameter>>;

export type MediaOperation = Exclude<ModelOperation, TextOperation>;

const PROVIDER_OPTIONS: Parameter = {
  type: 'object',
  description: 'Fields specific to the model’s provider.',
};
const SEED: Parameter = {
  type: 'integer',
  description: 'If the model supports it, the same seed and request give a similar result.',
};
const NEGATIVE_PROMPT: Parameter = { type: 'string', description: 'What should not appear in the result.' };
const ASPECT_RATIO: Parameter = {
  type: 'string',
  description: 'The ratio of width to height, such as 16:9; an alternative to size.',
};

/** The limits of the 413 rule (contract, Errors): anything larger is answered with `payload_too_large`. */
const IMAGE_URL_RULE = 'public https URLs or data URIs, each image at most 20 MB';
const AUDIO_FILE: Parameter = {
  type: 'file',
  required: true,
  description: 'flac, mp3, mp4, mpeg, mpga, m4a, ogg, wav or webm, at most 25 MB.',
};

/**
 * The contract shows `operation` and `image_url`; the others are OpenAI's published parameters, and those that most other image
 * models accept (several images, a negative prompt, a ratio, a seed). A default is listed only if it applies to every model.
 */
const IMAGES_GENERATIONS: Parameters = {
  model: MODEL,
  prompt: { type: 'string', required: true, description: 'What the image shows.' },
  operation: {
    type: 'string',
    enum: ['text-to-image', 'image-to-image'],
    description: 'image-to-image for models that start from an image; requires image_url.',
  },
  image_url: {
    type: 'string',
    description: 'The image to start from: a public https URL or a data URI, at most 20 MB.',
  },
  image_urls: { type: 'array', description: `Several images to start from: ${IMAGE_URL_RULE}.` },
  negative_prompt: NEGATIVE_PROMPT,
  n: { type: 'integer', default: 1, minimum: 1, maximum: 10, description: 'The number of images to generate.' },
  size: { type: 'string', description: 'Width and height in pixels, such as 1024x1024, or auto.' },
  aspect_ratio: ASPECT_RATIO,
  quality: {
    type: 'string',
    enum: ['standard', 'hd', 'low', 'medium', 'high', 'auto'],
    description: 'Higher quality takes longer, and with most models costs more.',
  },
  style: { type: 'string', enum: ['vivid', 'natural'], description: 'The visual style of the image.' },
  background: { type: 'string', enum: ['transparent', 'opaque', 'auto'], description: 'The background of the image.' },
  moderation: { type: 'string', enum: ['low', 'auto'], description: 'How strictly prompts are filtered.' },
  seed: SEED,
  response_format: {
    type: 'string',
    enum: ['url', 'b64_json'],
    description: 'Whether an image is returned as a URL or inline.',
  },
  output_format: { type: 'string', enum: ['png', 'jpeg', 'webp'], description: 'The file format of the image.' },
  output_compression: {
    type: 'integer',
    minimum: 0,
    maximum: 100,
    description: 'The quality of jpeg and webp files in percent.',
  },
  stream: { type: 'boolean', default: false, description: 'Whether to stream the image as server-sent events.' },
  partial_images: {
    type: 'integer',
    minimum: 0,
    maximum: 3,
    description: 'The number of partial images that a stream sends before the final one.',
  },
  async: {
    type: 'boolean',
    default: false,
    description: 'Returns a task to poll at once. Cannot be combined with stream.',
  },
  user: USER,
};

/** The rows of the contract's table, in its order. */
const IMAGES_EDITS: Parameters = {
  image: { type: 'file', required: true, description: 'The image to edit: a valid PNG, square, under 4 MB.' },
  prompt: { type: 'string', required: true, description: 'What the image should show after the edit.' },
  mask: {
    type: 'file',
    description: 'A PNG under 4 MB with the same dimensions as image; its fully transparent areas are edited.',
  },
  model: { type: 'string', description: 'The image-edit model, which is the default and the only one supported.' },
  n: { type: 'integer', default: 1, minimum: 1, maximum: 10, description: 'The number of images to generate.' },
  size: {
    type: 'string',
    enum: ['256x256', '512x512', '1024x1024'],
    description: 'Width and height of the result in pixels.',
  },
  response_format: {
    type: 'string',
    default: 'url',
    enum: ['url', 'b64_json'],
    description: 'Whether an image is returned as a URL or inline.',
  },
  user: USER,
};

/** OpenAI's published parameters, of which only the voice is optional here, and the gateway's own; the contract shows none. */
const AUDIO_SPEECH: Parameters = {
  model: MODEL,
  input: { type: 'string', required: true, maxLength: 4_096, description: 'The text to speak.' },
  voice: {
    type: ['string', 'object'],
    description: "One of the model's or of OpenAI's voices by name, or {id} for a voice of your own.",
  },
  instructions: { type: 'string', maxLength: 4_096, description: 'How the voice should speak.' },
  response_format: {
    type: 'string',
    default: 'mp3',
    enum: ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'],
    description: 'The file format of the audio.',
  },
  speed: { type: 'number', default: 1, minimum: 0.25, maximum: 4, description: 'The speed; 2 is twice as fast.' },
  stream_format: {
    type: 'string',
    default: 'audio',
    enum: ['sse', 'audio'],
    description: 'Whether to stream raw audio or server-sent events.',
  },
  language: { type: 'string', description: 'The language code of the text, such as en or pt-BR.' },
  provider_options: PROVIDER_OPTIONS,
};

/** The contract shows `language` as an optional hint; the others are OpenAI's published parameters. */
const AUDIO_TRANSCRIPTIONS: Parameters = {
  file: AUDIO_FILE,
  model: MODEL,
  language: { type: 'string', description: 'A hint: the spoken language as an ISO 639-1 code, such as en.' },
  languages: { type: 'array', description: 'The languages that may be spoken, as ISO 639-1 codes.' },
  prompt: { type: 'string', description: 'Text in the language of the audio whose style and spelling to follow.' },
  keywords: { type: 'array', description: 'Words that are likely to be spoken.' },
  response_format: {
    type: 'string',
    default: 'json',
    enum: ['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'],
    description: 'The format of the response.',
  },
  temperature: { type: 'number', default: 0, minimum: 0, maximum: 1, description: TEMPERATURE_DESCRIPTION },
  timestamp_granularities: {
    type: 'array',
    description: 'word, segment or both; requires response_format: verbose_json.',
  },
  include: { type: 'array', description: 'logprobs returns the log probability of each token.' },
  stream: { type: 'boolean', default: false, description: 'Whether to stream the text as server-sent events.' },
  chunking_strategy: {
    type: ['string', 'object'],
    description: 'How long audio is split: auto, or an object with voice detection settings.',
  },
  known_speaker_names: { type: 'array', maxItems: 4, description: 'The names of the speakers to recognize.' },
  known_speaker_references: {
    type: 'array',
    maxItems: 4,
    description: 'A short recording of each speaker in known_speaker_names, as data URIs.',
  },
};

/** The rows of the contract's table, in its order. */
const AUDIO_TRANSLATIONS: Parameters = {
  file: AUDIO_FILE,
  model: {
    type: 'string',
    description: 'The speech-translation model, which is the default and the only one supported.',
  },
  prompt: { type: 'string', description: 'English text whose style to follow.' },
  response_format: {
    type: 'string',
    default: 'json',
    enum: ['json', 'text', 'srt', 'verbose_json', 'vtt'],
    description: 'The format of the response.',
  },
  temperature: { type: 'number', minimum: 0, maximum: 1, description: TEMPERATURE_DESCRIPTION },
};

/**
 * The contract shows none. These are the parameters of video upstreams, each under one name here whatever the upstreams call it.
 * Lengths, sizes and ratios differ by model, so their limits are in the models' overrides.
 */
const VIDEOS_GENERATIONS: Parameters = {
  model: MODEL,
  prompt: {
    type: 'string',
    description: 'What happens in the video; required unless an image or a video to start from is given.',
  },
  operation: {
    type: 'string',
    enum: VIDEO_OPERATIONS,
    description: 'What the video is made from; if omitted, it is inferred from the given images and video.',
  },
  negative_prompt: NEGATIVE_PROMPT,
  image_url: {
    type: 'string',
    description: 'The first frame of the video: a public https URL or a data URI, at most 20 MB.',
  },
  image_urls: {
    type: 'array',
    description: `Several images, as texts or as {url, role} with the role first, last or reference: ${IMAGE_URL_RULE}.`,
  },
  end_image_url: {
    type: 'string',
    description: 'The last frame of the video: a public https URL or a data URI, at most 20 MB.',
  },
  reference_image_urls: {
    type: 'array',
    description: `Images of persons and things that appear: ${IMAGE_URL_RULE}.`,
  },
  video_url: { type: 'string', description: 'The video to edit or extend: a public https URL.' },
  duration: { type: 'number', description: 'The length of the video in seconds.' },
  seconds: { type: ['string', 'integer'], description: 'An alias of duration; send only one of them.' },
  size: { type: 'string', description: 'Width and height in pixels, such as 1280x720.' },
  resolution: { type: 'string', description: 'The height, such as 720p, 1080p or 4k; combine it with aspect_ratio.' },
  aspect_ratio: ASPECT_RATIO,
  n: { type: 'integer', default: 1, minimum: 1, maximum: 10, description: 'The number of videos to generate.' },
  seed: SEED,
  audio: { type: 'boolean', description: 'Whether the video has sound.' },
  user: USER,
  provider_options: PROVIDER_OPTIONS,
};

/** The rows of the contract's table, in its order. */
const MUSIC_GENERATIONS: Parameters = {
  model: { type: 'string', description: 'Defaults to the music model; the lyrics model only writes lyrics.' },
  prompt: { type: 'string', required: true, description: 'The style, mood and instruments.' },
  title: { type: 'string', description: 'The title of the piece.' },
  tags: { type: 'string', description: 'Style tags.' },
  action: {
    type: 'string',
    default: 'MUSIC',
    enum: ['MUSIC', 'LYRICS'],
    description: 'Whether to generate music or only write lyrics.',
  },
  mv: { type: 'string', description: 'The version of the music model.' },
  continue_clip_id: { type: 'string', description: 'The id of the clip to continue.' },
  continue_at: { type: 'number', description: 'The position in that clip to continue from, in seconds.' },
  user: USER,
};

/** The parameters of 3D upstreams; the contract shows none. A model starts from text or from images, so neither is required. */
const THREE_D_GENERATIONS: Parameters = {
  model: MODEL,
  prompt: { type: 'string', description: 'What to model; required unless an image is given.' },
  negative_prompt: NEGATIVE_PROMPT,
  image_url: {
    type: 'string',
    description: 'A picture of what to model: a public https URL or a data URI, at most 20 MB.',
  },
  image_urls: { type: 'array', description: `Pictures of it from several sides: ${IMAGE_URL_RULE}.` },
  format: { type: 'string', enum: MODEL_FORMATS, description: 'The file format of the result.' },
  texture: { type: 'boolean', description: 'Whether the result has a texture.' },
  target_polycount: { type: 'integer', minimum: 1, description: 'The approximate number of polygons of the result.' },
  seed: SEED,
  user: USER,
  provider_options: PROVIDER_OPTIONS,
};

/** The body members of each media operation (contract, Images; Audio; Async generation). */
export const MEDIA_PARAMETERS: Readonly<Record<MediaOperation, Parameters>> = {
  'images.generations': IMAGES_GENERATIONS,
  'images.edits': IMAGES_EDITS,
  'audio.speech': AUDIO_SPEECH,
  'audio.transcriptions': AUDIO_TRANSCRIPTIONS,
  'audio.translations': AUDIO_TRANSLATIONS,
  'videos.generations': VIDEOS_GENERATIONS,
  'music.generations': MUSIC_GENERATIONS,
  '3d.generations': THREE_D_GENERATIONS,
};
