import { asArray, asObject } from '../../shared/json.ts';
import type { Example, StrictUpstream } from '../rule.ts';
import { unknownMembers } from '../shared/members.ts';
import { imageOfText, inputKinds } from './input-images.ts';
import { between, notTaken, oneOf } from './rules.ts';

const CHECKED = '2026-11-29';
const at = (url: string) => ({ url, checked: CHECKED });
/** The schema with which a router validates requests to xAI's models, generated from xAI's schema. */
const SCHEMA = at('https://docs.comfy.org/ja/development/comfy-router/models/xai/grok-imagine-image-2-0/code');
const EDITING = at('https://docs.x.ai/developers/model-capabilities/images/multi-image-editing.md');

const MEMBERS = [
  ...['model', 'prompt', 'n', 'aspect_ratio', 'resolution', 'quality', 'response_format', 'user', 'seed'],
  ...['image', 'images'],
];
const RATIOS = [
  ...['1:1', '3:4', '4:3', '9:16', '16:9', '2:3', '3:2', '9:19.5', '19.5:9', '9:20', '20:9', '1:2', '2:1', 'auto'],
];

const imageOf = (bytes: Buffer) => ({ type: 'image_url', url: `data:image/png;base64,${bytes.toString('base64')}` });
const editing = (body: object): Example => ({ path: '/images/edits', body: { ...body } });

export const xaiImages: StrictUpstream = {
  name: 'xai-images',
  label: 'xAI, images',
  provider: 'xai',
  wire: 'xai-images',
  models: ['grok-imagine-image', 'grok-imagine-image-2.0'],
  rules: [
    {
      ...notTaken({
        ...{ member: 'size', value: '1024x1024' },
        source: at('https://github.com/rikkahub/rikkahub/issues/1602'),
      }),
      statement: '`size` is refused; images have a ratio and a resolution.',
      refuses: ({ body }) => (asObject(body).size === undefined ? null : 'Argument not supported: size'),
    },
    {
      ...unknownMembers(MEMBERS, at('https://github.com/ddcat-ai/open-ai-canvas/pull/167')),
      status: 422,
      examples: { refused: [{ body: { output_format: 'png' } }, { body: { style: 'vivid' } }] },
    },
    oneOf({ member: 'aspect_ratio', values: RATIOS, source: SCHEMA }),
    oneOf({ member: 'quality', values: ['low', 'medium', 'high'], source: SCHEMA }),
    oneOf({ member: 'response_format', values: ['url', 'b64_json'], source: SCHEMA }),
    between({ member: 'n', least: 1, most: 10, source: SCHEMA }),
    {
      id: 'three-images',
      statement: 'An edit must have at most three images.',
      source: EDITING,
      refuses: ({ body }) => (asArray(asObject(body).images).length > 3 ? 'At most 3 images are supported.' : null),
      examples: {
        refused: [editing({ images: Array.from({ length: 4 }, () => ({ url: 'https://a.example/a.png' })) })],
        accepted: [editing({ images: Array.from({ length: 3 }, () => ({ url: 'https://a.example/a.png' })) })],
      },
    },
    inputKinds({
      kinds: ['png', 'jpeg', 'webp'],
      source: at('https://replicate.com/xai/grok-imagine-image'),
      imagesIn: ({ body }) => {
        const { image, images } = asObject(body);
        return [image, ...asArray(images)].flatMap((one) => imageOfText('image', asObject(one).url));
      },
      withImage: (bytes) => editing({ image: imageOf(bytes) }),
    }),
  ],
  envelope: (message, rule) => ({ code: String(rule.status ?? 400), error: message }),
};
