import type { Rule, StrictUpstream } from '../rule.ts';
import { openaiEnvelope } from '../shared/openai-envelope.ts';
import { filesNamed, inputKinds } from './input-images.ts';
import { between, exampleWith, memberOf, notTaken, oneOf, textWithin } from './rules.ts';

const CHECKED = '2026-11-28';
const DOCUMENT = { url: 'specs/openai.openapi.json', checked: CHECKED };
const recorded = (name: string) => ({ url: `recordings/openai/images/${name}.json`, checked: CHECKED });

const GPT = { label: 'GPT image models', models: /^(?:gpt-image|chatgpt-image)-/ };
const GPT_1 = { label: 'GPT Image 1', models: /^gpt-image-1(?:\.5|-mini)?$/ };
const GPT_2 = { label: 'GPT Image 2', models: /^gpt-image-2/ };
const WITH_FOUR_QUALITIES = {
  label: 'GPT Image 1 and GPT Image 2',
  models: /^(?:gpt-image-1|gpt-image-2(?:$|-\d)|chatgpt-image-)/,
};
const WITH_MORE_QUALITIES = { label: 'GPT Image 2.5 and later', models: /^gpt-image-2\.[5-9]/ };
const WITH_THREE_FORMATS = {
  label: 'GPT image models before 2.6',
  models: /^(?:gpt-image-1|gpt-image-2(?:$|-\d|\.5)|chatgpt-image-)/,
};
const WITH_MORE_FORMATS = { label: 'GPT Image 2.6', models: /^gpt-image-2\.6/ };
const WITHOUT_FIDELITY = {
  label: 'GPT Image 1 mini and GPT Image 2',
  models: /^(?:gpt-image-1-mini$|gpt-image-2|chatgpt-image-latest$)/,
};
const DALL_E = { label: 'DALL·E', models: /^dall-e-/ };
const DALL_E_2 = { label: 'DALL·E 2', models: /^dall-e-2$/ };
const DALL_E_3 = { label: 'DALL·E 3', models: /^dall-e-3$/ };

const SIZES_1 = ['auto', '1024x1024', '1536x1024', '1024x1536'];
const GUIDE_TO_2_6 = { url: 'https://dev.to/hassann/how-to-use-the-gpt-image-26-api-2mfd', checked: '2026-11-29' };
/** It quotes OpenAI's page "Image generation", "Size and quality options". */
const SIZES_2 = { url: 'https://github.com/withceleste/celeste-python/pull/421', checked: '2026-11-29' };
const MOST_PIXELS = 8_294_400;
const LEAST_PIXELS = 655_360;
const LONGEST_SIDE = 3_840;

const SIDES = /^(\d{1,5})x(\d{1,5})$/;

/** GPT Image 2 makes any size whose sides are multiples of 16 and whose aspect ratio is at most 3:1. */
function anySize(isForm: boolean): Rule {
  return {
    id: 'size-any',
    statement: 'The sides of `size` must be multiples of 16, and the longer one at most three times the other.',
    family: GPT_2,
    source: recorded('008-unlisted-dated-snapshot-reaches-its-own-validation'),
    refuses(request) {
      const size = memberOf(request, 'size');
      if (size === undefined || size === 'auto') return null;
      const [, width = 0, height = 0] = (SIDES.exec(String(size)) ?? []).map(Number);
      if (width < 16 || height < 16 || width % 16 !== 0 || height % 16 !== 0)
        return `Invalid size '${String(size)}'. Width and height must both be divisible by 16.`;
      return Math.max(width, height) > 3 * Math.min(width, height) ? `Invalid size '${String(size)}'.` : null;
    },
    examples: {
      refused: [exampleWith(isForm, { size: '3x3' }), exampleWith(isForm, { size: '1600x160' })],
      accepted: [exampleWith(isForm, { size: '1536x864' })],
    },
  };
}

/** Makes a rule for the number of pixels and the longest side. */
function boundedSize(isForm: boolean): Rule {
  return {
    id: 'size-bounds',
    statement: `\`size\` must have ${LEAST_PIXELS} to ${MOST_PIXELS} pixels, and at most ${LONGEST_SIDE} on a side.`,
    family: GPT_2,
    source: SIZES_2,
    refuses(request) {
      const size = String(memberOf(request, 'size') ?? 'auto');
      const [, width = 0, height = 0] = (SIDES.exec(size) ?? []).map(Number);
      const area = width * height;
      const isRight = area >= LEAST_PIXELS && area <= MOST_PIXELS && Math.max(width, height) <= LONGEST_SIDE;
      return size === 'auto' || isRight ? null : `Invalid size '${size}'. Requested resolution is out of bounds.`;
    },
    examples: {
      refused: [exampleWith(isForm, { size: '512x512' }), exampleWith(isForm, { size: '3840x3840' })],
      accepted: [exampleWith(isForm, { size: '3840x2160' })],
    },
  };
}

function compression(isForm: boolean): Rule {
  return {
    id: 'compression-of-png',
    statement: '`output_compression` requires the `output_format` `jpeg` or `webp`.',
    family: GPT,
    source: DOCUMENT,
    refuses(request) {
      const level = memberOf(request, 'output_compression');
      if (level === undefined || Number(level) === 100) return null;
      const format = memberOf(request, 'output_format');
      return format === 'jpeg' || format === 'webp'
        ? null
        : 'Compression less than 100 is not supported for PNG output.';
    },
    examples: {
      refused: [exampleWith(isForm, { output_compression: 50 })],
      accepted: [exampleWith(isForm, { output_compression: 50, output_format: 'webp' })],
    },
  };
}

function transparency(isForm: boolean): Rule {
  return {
    id: 'transparent-formats',
    statement: '`background: transparent` requires an `output_format` with transparency.',
    family: GPT,
    source: DOCUMENT,
    refuses(request) {
      const isTransparent = memberOf(request, 'background') === 'transparent';
      return isTransparent && memberOf(request, 'output_format') === 'jpeg'
        ? 'Transparent background is not supported for JPEG output format.'
        : null;
    },
    examples: {
      refused: [exampleWith(isForm, { background: 'transparent', output_format: 'jpeg' })],
      accepted: [exampleWith(isForm, { background: 'transparent', output_format: 'webp' })],
    },
  };
}

/** Returns the rules for members that DALL·E lacks or accepts in another form. */
function dallERules(isForm: boolean): readonly Rule[] {
  return [
    ...['background', 'output_format', 'output_compression', 'partial_images'].map((member) => ({
      ...notTaken({
        member,
        value: member === 'output_compression' ? 50 : 'x',
        isForm,
        family: DALL_E,
        source: DOCUMENT,
      }),
      id: `dall-e-no-${member.replaceAll('_', '-')}`,
    })),
    {
      ...notTaken({
        ...{ member: 'quality', value: 'standard', isForm, family: DALL_E_2 },
        source: recorded('023-test-image-gen-metrics'),
      }),
      id: 'dall-e-2-no-quality',
    },
    {
      ...oneOf({
        member: 'size',
        values: ['256x256', '512x512', '1024x1024'],
        isForm,
        family: DALL_E_2,
        source: DOCUMENT,
      }),
      id: 'size-dall-e-2',
    },
    {
      ...textWithin({ member: 'prompt', most: 1_000, isForm, family: DALL_E_2, source: DOCUMENT }),
      id: 'prompt-length-dall-e-2',
    },
  ];
}

/** Returns the rules that both endpoints have. */
function commonRules(isForm: boolean): readonly Rule[] {
  return [
    notTaken({
      ...{ member: 'response_format', value: 'b64_json', isForm, family: GPT },
      source: recorded('006-response-format-is-rejected-before-the-model-is-looked-at'),
    }),
    notTaken({ member: 'style', value: 'vivid', isForm, family: GPT, source: DOCUMENT }),
    oneOf({
      ...{ member: 'quality', values: ['auto', 'low', 'medium', 'high'], isForm, family: WITH_FOUR_QUALITIES },
      source: recorded('005-chatgpt-image-latest-reaches-its-own-validation'),
    }),
    oneOf({
      ...{ member: 'quality', values: ['auto', 'low', 'medium', 'high', 'xhigh', 'max'], id: 'quality-2-5', isForm },
      ...{ family: WITH_MORE_QUALITIES, source: GUIDE_TO_2_6 },
    }),
    oneOf({
      ...{ member: 'background', values: ['auto', 'transparent', 'opaque'], isForm, family: GPT },
      source: recorded('001-additional-params-invalid-background-is-rejected'),
    }),
    oneOf({
      ...{ member: 'output_format', values: ['png', 'jpeg', 'webp'], isForm },
      ...{ family: WITH_THREE_FORMATS, source: DOCUMENT },
    }),
    oneOf({
      ...{ member: 'output_format', values: ['png', 'jpeg', 'webp', 'gif', 'svg'], id: 'formats-2-6', isForm },
      ...{ family: WITH_MORE_FORMATS, source: GUIDE_TO_2_6 },
    }),
    compression(isForm),
    transparency(isForm),
    oneOf({ member: 'size', values: SIZES_1, id: 'size-1', isForm, family: GPT_1, source: DOCUMENT }),
    anySize(isForm),
    boundedSize(isForm),
    between({ member: 'n', least: 1, most: 10, isForm, source: DOCUMENT }),
    textWithin({
      ...{ member: 'prompt', most: 32_000, isForm, family: GPT },
      source: recorded('003-additional-params-override-prompt'),
    }),
    ...dallERules(isForm),
  ];
}

export const openaiImages: StrictUpstream = {
  name: 'openai-images',
  label: 'OpenAI, images',
  provider: 'openai',
  wire: 'openai-images',
  models: [
    ...[
      'gpt-image-1',
      'gpt-image-1-mini',
      'gpt-image-1.5',
      'gpt-image-2',
      'gpt-image-2.5-flare',
      'gpt-image-2.6-flare',
    ],
    ...['dall-e-2', 'dall-e-3'],
  ],
  rules: [
    ...commonRules(false),
    { ...notTaken({ member: 'style', value: 'vivid', family: DALL_E_2, source: DOCUMENT }), id: 'dall-e-2-no-style' },
    oneOf({ member: 'style', values: ['vivid', 'natural'], family: DALL_E_3, source: DOCUMENT }),
    oneOf({
      member: 'quality',
      values: ['auto', 'standard', 'hd'],
      id: 'quality-dall-e-3',
      family: DALL_E_3,
      source: DOCUMENT,
    }),
    oneOf({
      ...{ member: 'size', values: ['1024x1024', '1792x1024', '1024x1792'], id: 'size-dall-e-3' },
      ...{ family: DALL_E_3, source: DOCUMENT },
    }),
    between({ member: 'n', least: 1, most: 1, id: 'n-dall-e-3', family: DALL_E_3, source: DOCUMENT }),
    {
      ...textWithin({ member: 'prompt', most: 4_000, family: DALL_E_3, source: DOCUMENT }),
      id: 'prompt-length-dall-e-3',
    },
    oneOf({ member: 'moderation', values: ['auto', 'low'], family: GPT, source: DOCUMENT }),
    {
      ...notTaken({ member: 'moderation', value: 'low', family: DALL_E, source: DOCUMENT }),
      id: 'dall-e-no-moderation',
    },
  ],
  envelope: openaiEnvelope,
};

const IMAGE = new File([new Uint8Array([0x89, 0x50, 0x4e, 0x47])], 'image.png', { type: 'image/png' });

const imageParts: Rule = {
  id: 'image-types',
  statement: 'The parts `image` (or several `image[]`) must be PNG, WebP or JPEG files with the matching type.',
  source: DOCUMENT,
  refuses({ form }) {
    const images = [...(form?.getAll('image') ?? []), ...(form?.getAll('image[]') ?? [])];
    if (images.length === 0) return "Missing required parameter: 'image'.";
    const wrong = images.find((image) => !(image instanceof File) || !/^image\/(?:png|webp|jpeg)$/.test(image.type));
    if (wrong === undefined) return null;
    const type = wrong instanceof File ? wrong.type : 'text/plain';
    return `Invalid file 'image': unsupported mimetype ('${type}'). Supported file formats are 'image/jpeg', 'image/png', and 'image/webp'.`;
  },
  examples: {
    refused: [{ form: { image: new File([new Uint8Array(4)], 'image', { type: 'application/octet-stream' }) } }],
    accepted: [{ form: { image: IMAGE } }],
  },
};

const INPUTS = {
  imagesIn: filesNamed('image', 'image[]'),
  withImage: (bytes: Buffer) => ({
    form: { image: new File([new Uint8Array(bytes)], 'image.png', { type: 'image/png' }) },
  }),
  source: DOCUMENT,
};

export const openaiImageEdits: StrictUpstream = {
  name: 'openai-image-edits',
  label: 'OpenAI, image edits',
  provider: 'openai',
  wire: 'openai-image-edits',
  models: [
    ...[
      'gpt-image-1',
      'gpt-image-1-mini',
      'gpt-image-1.5',
      'gpt-image-2',
      'gpt-image-2.5-flare',
      'gpt-image-2.6-flare',
    ],
    'dall-e-2',
  ],
  basic: { path: '/images/edits', form: { prompt: 'A cat.', image: IMAGE } },
  rules: [
    imageParts,
    { ...inputKinds({ ...INPUTS, kinds: ['png', 'jpeg', 'webp'] }), family: GPT },
    { ...inputKinds({ ...INPUTS, kinds: ['png'] }), id: 'input-kinds-dall-e-2', family: DALL_E_2 },
    ...commonRules(true),
    notTaken({
      ...{ member: 'input_fidelity', value: 'high', isForm: true, family: WITHOUT_FIDELITY },
      source: DOCUMENT,
    }),
    { ...notTaken({ member: 'moderation', value: 'low', isForm: true, source: DOCUMENT }), id: 'no-moderation' },
  ],
  envelope: openaiEnvelope,
};
