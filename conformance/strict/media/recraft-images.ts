import { asObject } from '../../shared/json.ts';
import type { Example, Rule, StrictUpstream } from '../rule.ts';
import { imageOfText, inputBytes, inputKinds, PNG } from './input-images.ts';
import { between, notTaken, oneOf, textWithin } from './rules.ts';

const CHECKED = '2026-11-29';
const at = (url: string) => ({ url, checked: CHECKED });
const APPENDIX = at('https://www.recraft.ai/docs/api-reference/appendix');
const STYLES_PAGE = at('https://www.recraft.ai/docs/api-reference/styles');
const USAGE = at('https://www.recraft.ai/docs/api-reference/usage');

const V4 = { label: 'Recraft V4 and later', models: /^recraftv4/ };
const OLD = { label: 'Recraft V2 and V3', models: /^recraftv[23]/ };
const VECTOR = { label: 'Vector models', models: /^recraftv[23]_vector$/ };
const RASTER = { label: 'Raster models of V2 and V3', models: /^recraftv[23]$/ };

const SIZE = /^(?:\d{3,4}x\d{3,4}|(?:1:1|2:1|1:2|3:2|2:3|4:3|3:4|5:4|4:5|6:10|14:10|10:14|16:9|9:16))$/;
const V4_SIZES =
  /^(?:1024x1024|1536x768|768x1536|1280x832|832x1280|1216x896|896x1216|1152x896|896x1152|832x1344|1280x896|896x1280|1344x768|768x1344)$/;

const dataUri = (bytes: Buffer) => `data:image/png;base64,${bytes.toString('base64')}`;
const fromImage = (bytes: Buffer): Example => ({
  path: '/images/imageToImage',
  body: { image_url: dataUri(bytes), strength: 0.5 },
});
const IMAGES = {
  imagesIn: ({ body }: Parameters<Rule['refuses']>[0]) => imageOfText('image_url', asObject(body).image_url),
  withImage: fromImage,
  source: USAGE,
};

/** Makes a rule for styles of the other kind of image, and for unknown styles. */
function styles(
  id: string,
  family: NonNullable<Rule['family']>,
  foreign: RegExp,
  refused: string,
  accepted: string,
): Rule {
  return {
    id,
    statement: '`style` must be one of the styles that the page lists for the model.',
    family,
    source: STYLES_PAGE,
    refuses({ body }) {
      const { style } = asObject(body);
      return style !== undefined && foreign.test(String(style))
        ? `Style '${String(style)}' is not a style of this model`
        : null;
    },
    examples: { refused: [{ body: { style: refused } }], accepted: [{ body: { style: accepted } }] },
  };
}

const OF_NO_MODEL = 'vivid|natural|photographic|anime';

export const recraftImages: StrictUpstream = {
  name: 'recraft-images',
  label: 'Recraft',
  provider: 'recraft',
  wire: 'recraft-images',
  models: [
    ...['recraftv4_1', 'recraftv4_1_vector', 'recraftv4_1_pro', 'recraftv4_1_flash', 'recraftv4'],
    ...['recraftv3', 'recraftv3_vector', 'recraftv2', 'recraftv2_vector'],
  ],
  rules: [
    textWithin({ member: 'prompt', most: 10_000, family: V4, source: APPENDIX }),
    textWithin({ member: 'prompt', most: 1_000, id: 'prompt-length-old', family: OLD, source: APPENDIX }),
    notTaken({ member: 'negative_prompt', value: 'fog', family: V4, source: USAGE }),
    notTaken({ member: 'style', value: 'Photorealism', family: V4, source: STYLES_PAGE }),
    styles(
      'raster-styles',
      RASTER,
      new RegExp(`^(?:${OF_NO_MODEL}|Vector art|Line art|vector_illustration|icon)$`),
      'vivid',
      'Photorealism',
    ),
    styles(
      'vector-styles',
      VECTOR,
      new RegExp(`^(?:${OF_NO_MODEL}|any|Photorealism|Illustration|realistic_image)$`),
      'Photorealism',
      'Vector art',
    ),
    between({ member: 'n', least: 1, most: 6, source: USAGE }),
    oneOf({ member: 'response_format', values: ['url', 'b64_json'], source: USAGE }),
    {
      id: 'sizes',
      statement: '`size` must be a `WxH` or ratio that the page lists for the model.',
      source: APPENDIX,
      refuses({ body, model }) {
        const { size } = asObject(body);
        if (size === undefined) return null;
        const isRight =
          SIZE.test(String(size)) &&
          (!/^recraftv4(?:_1(?:_flash|_utility)?)?$/.test(model) ||
            !String(size).includes('x') ||
            V4_SIZES.test(String(size)));
        return isRight ? null : `size ${String(size)} is not supported`;
      },
      examples: {
        refused: [{ body: { size: 'auto' } }, { model: 'recraftv4', body: { size: '1000x1000' } }],
        accepted: [{ body: { size: '16:9' } }, { model: 'recraftv4', body: { size: '1344x768' } }],
      },
    },
    {
      id: 'strength-beside-image',
      statement: 'An edit of a whole image must have `strength`.',
      source: USAGE,
      refuses: ({ path, body }) =>
        path.endsWith('/imageToImage') && typeof asObject(body).strength !== 'number' ? 'strength is required' : null,
      examples: {
        refused: [{ path: '/images/imageToImage', body: { image_url: dataUri(PNG) } }],
        accepted: [fromImage(PNG)],
      },
    },
    inputKinds({ ...IMAGES, kinds: ['png', 'jpeg', 'webp'] }),
    inputBytes({ ...IMAGES, most: 5_000_000 }),
  ],
  envelope: (message) => ({ code: 'invalid_request_parameter', message }),
};
