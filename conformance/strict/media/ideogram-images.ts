import { asObject } from '../../shared/json.ts';
import type { Example, ReceivedRequest, Rule, StrictUpstream } from '../rule.ts';
import { filesNamed, inputBytes, inputKinds, PNG } from './input-images.ts';
import { between, memberOf } from './rules.ts';

const CHECKED = '2026-11-29';
const DOCUMENT = { url: 'specs/ideogram.openapi.json', checked: CHECKED };

/** The members of each endpoint, as the published document lists them. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  '/v1/ideogram-v3/generate': [
    ...['prompt', 'seed', 'resolution', 'aspect_ratio', 'rendering_speed', 'magic_prompt', 'negative_prompt'],
    ...['num_images', 'color_palette', 'style_codes', 'style_type', 'style_preset', 'custom_model_uri'],
  ],
  '/v1/ideogram-v3/remix': [
    ...['image', 'prompt', 'image_weight', 'seed', 'resolution', 'aspect_ratio', 'rendering_speed', 'magic_prompt'],
    ...['negative_prompt', 'num_images', 'color_palette', 'style_codes', 'style_type', 'style_preset'],
  ],
  '/v1/ideogram-v3/edit': [
    ...['image', 'mask', 'prompt', 'magic_prompt', 'num_images', 'seed', 'rendering_speed', 'style_type'],
    ...['style_preset', 'color_palette', 'style_codes'],
  ],
  '/v1/ideogram-v4/generate': ['prompt', 'seed', 'magic_prompt_option', 'custom_model_uri'],
  '/v1/edit': [
    ...['prompt', 'images', 'image_urls', 'num_images', 'seed', 'magic_prompt', 'resolution', 'aspect_ratio'],
    'transparent_background',
  ],
};
const RATIOS = [
  '1x3',
  '3x1',
  '1x2',
  '2x1',
  '9x16',
  '16x9',
  '10x16',
  '16x10',
  '2x3',
  '3x2',
  '3x4',
  '4x3',
  '4x5',
  '5x4',
  '1x1',
];
const RESOLUTION =
  /^(?:512x1536|576x14(?:08|72)|576x1536|640x1(?:344|408|472|536)|704x1(?:152|216|280|344|408|472)|736x1312|768x1(?:088|216|280|344)|800x1280|832x(?:960|1024|1088|1152|1216|1248)|864x1152|896x(?:960|1024|1088|1120|1152)|960x(?:832|896|1024|1088)|1024x(?:832|896|960|1024)|1088x(?:768|832|896|960)|1120x896|1152x(?:704|832|864|896)|1216x(?:704|768|832)|1248x832|1280x(?:704|768|800)|1312x736|1344x(?:640|704|768)|1408x(?:576|640|704)|1472x(?:576|640|704)|1536x(?:512|576|640))$/;
const STYLES = ['AUTO', 'GENERAL', 'REALISTIC', 'DESIGN', 'CUSTOM', 'FICTION', 'STYLIZED'];
const SPEEDS = ['FLASH', 'TURBO', 'BALANCED', 'DEFAULT', 'QUALITY'];

const namesIn = ({ body, form }: ReceivedRequest) => [...(form?.keys() ?? Object.keys(asObject(body)))];

/** A rule about the value of a member, which is JSON at some endpoints and a form at others. */
function values(member: string, isRight: (value: string) => boolean, wrong: string, statement: string): Rule {
  return {
    id: `${member.replaceAll('_', '-')}-values`,
    statement,
    source: DOCUMENT,
    refuses(request) {
      const value = memberOf(request, member);
      return value === undefined || isRight(String(value)) ? null : `Invalid value for ${member}: ${String(value)}`;
    },
    examples: { refused: [{ body: { [member]: wrong } }] },
  };
}

const fileOf = (bytes: Uint8Array) => new File([new Uint8Array(bytes)], 'image.png', { type: 'image/png' });
const remixed = (bytes: Uint8Array): Example => ({
  path: '/v1/ideogram-v3/remix',
  form: { model: undefined, prompt: 'A cat.', image: fileOf(bytes) },
});
const IMAGES = { imagesIn: filesNamed('image', 'images', 'mask'), withImage: remixed, source: DOCUMENT };

const members: Rule = {
  id: 'known-members',
  statement: 'Fields that the published document does not list for the endpoint are refused.',
  source: DOCUMENT,
  refuses(request) {
    const known = MEMBERS[request.path];
    if (known === undefined) return `There is no endpoint ${request.path}`;
    const unknown = namesIn(request).find((name) => !known.includes(name));
    return unknown === undefined ? null : `Unknown member ${unknown}`;
  },
  examples: {
    refused: [{ body: { output_format: 'png' } }, { model: 'ideogram-v4', body: { resolution: '1024x1024' } }],
  },
};

const oneShape: Rule = {
  id: 'resolution-or-ratio',
  statement: '`resolution` and `aspect_ratio` are mutually exclusive.',
  source: DOCUMENT,
  refuses: (request) =>
    memberOf(request, 'resolution') !== undefined && memberOf(request, 'aspect_ratio') !== undefined
      ? 'Cannot specify both resolution and aspect_ratio'
      : null,
  examples: {
    refused: [{ body: { resolution: '1024x1024', aspect_ratio: '1x1' } }],
    accepted: [{ body: { resolution: '1024x1024' } }, { body: { aspect_ratio: '16x9' } }],
  },
};

const required: Rule = {
  id: 'required-files',
  statement: 'An edit must have `image` and `mask`, and a remix must have `image`.',
  source: DOCUMENT,
  refuses({ path, files }) {
    const needed =
      path.endsWith('/edit') && path !== '/v1/edit' ? ['image', 'mask'] : path.endsWith('/remix') ? ['image'] : [];
    const missing = needed.find((name) => !files.some(({ part }) => part === name));
    return missing === undefined ? null : `Missing required file ${missing}`;
  },
  examples: {
    refused: [{ path: '/v1/ideogram-v3/edit', form: { model: undefined, prompt: 'A cat.', image: fileOf(PNG) } }],
    accepted: [remixed(PNG)],
  },
};

export const ideogramImages: StrictUpstream = {
  name: 'ideogram-images',
  label: 'Ideogram',
  provider: 'ideogram',
  wire: 'ideogram-images',
  models: ['ideogram-v3', 'ideogram-v4'],
  rules: [
    members,
    oneShape,
    required,
    values(
      'aspect_ratio',
      (value) => RATIOS.includes(value),
      '16:9',
      '`aspect_ratio` must be one of 15 ratios, written as `16x9`.',
    ),
    values(
      'resolution',
      (value) => RESOLUTION.test(value),
      '1000x1000',
      '`resolution` must be one of the 69 that the document lists.',
    ),
    values(
      'style_type',
      (value) => STYLES.includes(value),
      'vivid',
      `\`style_type\` must be one of ${STYLES.map((one) => `\`${one}\``).join(', ')}.`,
    ),
    values(
      'rendering_speed',
      (value) => SPEEDS.includes(value),
      'high',
      `\`rendering_speed\` must be one of ${SPEEDS.map((one) => `\`${one}\``).join(', ')}.`,
    ),
    between({ member: 'seed', least: 0, most: 2 ** 31 - 1, source: DOCUMENT }),
    between({ member: 'num_images', least: 1, most: 8, source: DOCUMENT }),
    inputKinds({ ...IMAGES, kinds: ['png', 'jpeg', 'webp'] }),
    inputBytes({ ...IMAGES, most: 10 * 1024 * 1024 }),
  ],
  envelope: (message) => ({ error: message }),
};
