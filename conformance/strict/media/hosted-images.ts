import { asArray, asObject } from '../../shared/json.ts';
import type { Rule, StrictUpstream } from '../rule.ts';
import { unknownMembers } from '../shared/members.ts';
import { openaiEnvelope } from '../shared/openai-envelope.ts';
import { between, memberOf, oneOf } from './rules.ts';

/* Providers with their own API for models of several vendors. */

const CHECKED = '2026-11-29';
const TOGETHER = { url: 'specs/together.openapi.yaml#/images/generations', checked: CHECKED };
const OPENROUTER = { url: 'specs/openrouter.openapi.yaml#/images', checked: CHECKED };

export const togetherImages: StrictUpstream = {
  name: 'together-images',
  label: 'Together, images',
  provider: 'together',
  wire: 'together-images',
  models: ['black-forest-labs/FLUX.2-pro', 'black-forest-labs/FLUX.1-kontext-pro', 'Qwen/Qwen-Image'],
  rules: [
    unknownMembers(
      [
        ...['prompt', 'model', 'steps', 'image_url', 'seed', 'n', 'height', 'width', 'negative_prompt'],
        ...['response_format', 'guidance_scale', 'output_format', 'image_loras', 'reference_images'],
        'disable_safety_checker',
      ],
      TOGETHER,
    ),
    oneOf({ member: 'response_format', values: ['base64', 'url'], source: TOGETHER }),
    oneOf({ member: 'output_format', values: ['jpeg', 'png'], source: TOGETHER }),
  ],
  envelope: openaiEnvelope,
};

const RATIOS = [
  ...['1:1', '1:2', '1:4', '1:8', '2:1', '2:3', '3:2', '3:4', '4:1', '4:3', '4:5', '5:4', '8:1', '9:16', '16:9'],
  ...['9:19.5', '19.5:9', '9:20', '20:9', '9:21', '21:9', 'auto'],
];

const transparent: Rule = {
  id: 'transparent-formats',
  statement: '`background: transparent` requires an `output_format` with transparency.',
  source: OPENROUTER,
  refuses(request) {
    const isTransparent = memberOf(request, 'background') === 'transparent';
    return isTransparent && memberOf(request, 'output_format') === 'jpeg'
      ? 'background: transparent requires an output_format that supports alpha (png or webp)'
      : null;
  },
  examples: {
    refused: [{ body: { background: 'transparent', output_format: 'jpeg' } }],
    accepted: [{ body: { background: 'transparent', output_format: 'webp' } }],
  },
};

const oneShape: Rule = {
  id: 'size-or-ratio',
  statement: '`size` and `aspect_ratio` are mutually exclusive.',
  source: OPENROUTER,
  refuses: (request) =>
    /^\d+x\d+$/.test(String(memberOf(request, 'size'))) && memberOf(request, 'aspect_ratio') !== undefined
      ? 'size and aspect_ratio do not match'
      : null,
  examples: {
    refused: [{ body: { size: '2048x2048', aspect_ratio: '16:9' } }],
    accepted: [{ body: { size: '2048x2048' } }],
  },
};

const references: Rule = {
  id: 'sixteen-references',
  statement: '`input_references` must have at most 16 images.',
  source: OPENROUTER,
  refuses: ({ body }) => (asArray(asObject(body).input_references).length > 16 ? 'input_references: at most 16' : null),
  examples: { refused: [{ body: { input_references: Array.from({ length: 17 }, () => ({ type: 'image_url' })) } }] },
};

export const openrouterImages: StrictUpstream = {
  name: 'openrouter-images',
  label: 'OpenRouter, images',
  provider: 'openrouter',
  wire: 'openrouter-images',
  models: ['google/gemini-3-pro-image', 'black-forest-labs/flux.2-pro', 'bytedance-seed/seedream-4.5'],
  rules: [
    unknownMembers(
      [
        ...['aspect_ratio', 'background', 'input_references', 'model', 'n', 'output_compression', 'output_format'],
        ...['prompt', 'provider', 'quality', 'resolution', 'seed', 'size', 'stream'],
      ],
      OPENROUTER,
    ),
    oneOf({ member: 'aspect_ratio', values: RATIOS, source: OPENROUTER }),
    oneOf({ member: 'quality', values: ['auto', 'low', 'medium', 'high'], source: OPENROUTER }),
    oneOf({ member: 'background', values: ['auto', 'transparent', 'opaque'], source: OPENROUTER }),
    oneOf({ member: 'output_format', values: ['png', 'jpeg', 'webp', 'svg'], source: OPENROUTER }),
    between({ member: 'output_compression', least: 0, most: 100, source: OPENROUTER }),
    {
      ...between({ member: 'n', least: 1, most: 1, source: OPENROUTER }),
      statement: '`n` above 1 is refused for providers that generate one image at a time.',
    },
    transparent,
    oneShape,
    references,
  ],
  envelope: openaiEnvelope,
};
