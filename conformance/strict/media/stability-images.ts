import type { Example, Rule, StrictUpstream } from '../rule.ts';
import { filesNamed, inputKinds, inputSides, PNG } from './input-images.ts';
import { between, memberOf, oneOf, textWithin } from './rules.ts';

const CHECKED = '2026-11-29';
const at = (url: string) => ({ url, checked: CHECKED });
/** A third party's copy of the provider's reference, whose own pages need a browser. */
const SCHEMA = at('https://github.com/api-evangelist/stability-ai');
const CLIENT = at('https://glama.ai/mcp/servers/arwjcxkkhg/blob/main/src/tools/generateImageSD35.ts');
const INPAINT = at(
  'https://glitch9inc.github.io/DocFx.AIDevKit/api/Glitch9.AIDevKit.Stability.StabilityInpaintRequest.html',
);

const RATIOS = ['21:9', '16:9', '3:2', '5:4', '1:1', '4:5', '2:3', '9:16', '9:21'];
const STYLES = [
  ...['3d-model', 'analog-film', 'anime', 'cinematic', 'comic-book', 'digital-art', 'enhance', 'fantasy-art'],
  ...['isometric', 'line-art', 'low-poly', 'modeling-compound', 'neon-punk', 'origami', 'photographic', 'pixel-art'],
  'tile-texture',
];
const isForm = true;

const fileOf = (bytes: Uint8Array) => new File([new Uint8Array(bytes)], 'image.png', { type: 'image/png' });
const fromImage = (bytes: Buffer): Example => ({
  form: { mode: 'image-to-image', strength: '0.5', image: fileOf(bytes) },
});
const IMAGES = { imagesIn: filesNamed('image'), withImage: fromImage, source: INPAINT };

const formats: Rule = {
  ...oneOf({ member: 'output_format', values: ['png', 'jpeg'], id: 'sd3-formats', isForm, source: CLIENT }),
  statement: '`output_format` of Stable Diffusion 3.5 must be one of `png`, `jpeg`.',
  refuses(request) {
    const format = memberOf(request, 'output_format');
    const isSd3 = request.path.endsWith('/generate/sd3');
    return isSd3 && format === 'webp' ? 'output_format: must be one of jpeg, png' : null;
  },
  examples: { refused: [{ form: { output_format: 'webp' } }], accepted: [{ form: { output_format: 'jpeg' } }] },
};

const modes: Rule = {
  id: 'modes',
  statement: 'With `mode: image-to-image`, `image` and `strength` are required, and `aspect_ratio` is refused.',
  source: at('https://app.unpkg.com/stability-ai@0.7.0/files/dist/v2beta/stable-image/generate.d.ts'),
  refuses(request) {
    if (!request.path.endsWith('/generate/sd3')) return null;
    const isFromImage = memberOf(request, 'mode') === 'image-to-image';
    for (const name of ['image', 'strength']) {
      if ((memberOf(request, name) !== undefined) !== isFromImage) return `${name}: does not fit the mode`;
    }
    const hasRatio = memberOf(request, 'aspect_ratio') !== undefined;
    return isFromImage && hasRatio ? 'aspect_ratio: is only valid for text-to-image' : null;
  },
  examples: {
    refused: [
      { form: { mode: 'image-to-image', strength: '0.5' } },
      { form: { ...fromImage(PNG).form, strength: undefined } },
      { form: { ...fromImage(PNG).form, aspect_ratio: '1:1' } },
      { form: { image: fileOf(PNG) } },
    ],
    accepted: [fromImage(PNG)],
  },
};

export const stabilityImages: StrictUpstream = {
  name: 'stability-images',
  label: 'Stability AI, Stable Image',
  provider: 'stability',
  wire: 'stability-images',
  models: [
    'sd3.5-large',
    'sd3.5-large-turbo',
    'sd3.5-medium',
    'stable-image-ultra',
    'stable-image-core',
    'stable-image-inpaint',
  ],
  basic: { headers: { accept: 'application/json' } },
  rules: [
    {
      id: 'accept-header',
      statement: 'The header `accept` must be `image/*` or `application/json`.',
      source: at('https://6lsfyizlhl.apifox.cn/api-205930781'),
      refuses: ({ headers }) =>
        /^(?:image\/\*|application\/json)$/.test(headers.get('accept') ?? '') ? null : 'accept: is not valid',
      examples: { refused: [{ headers: { accept: '*/*' } }], accepted: [{ headers: { accept: 'image/*' } }] },
    },
    textWithin({ member: 'prompt', most: 10_000, isForm, source: SCHEMA }),
    textWithin({ member: 'negative_prompt', most: 10_000, isForm, source: SCHEMA }),
    between({ member: 'seed', least: 0, most: 2 ** 32 - 2, isForm, source: SCHEMA }),
    oneOf({ member: 'aspect_ratio', values: RATIOS, isForm, source: SCHEMA }),
    oneOf({ member: 'style_preset', values: STYLES, isForm, source: CLIENT }),
    oneOf({ member: 'output_format', values: ['png', 'jpeg', 'webp'], isForm, source: SCHEMA }),
    formats,
    modes,
    {
      id: 'inpaint-needs-an-image',
      statement: '`edit/inpaint` requires `image`.',
      source: INPAINT,
      refuses: ({ path, files }) =>
        path.endsWith('/edit/inpaint') && !files.some(({ part }) => part === 'image') ? 'image: is required' : null,
      examples: { refused: [{ path: '/v2beta/stable-image/edit/inpaint' }] },
    },
    inputKinds({ ...IMAGES, kinds: ['png', 'jpeg', 'webp'] }),
    inputSides({ ...IMAGES, least: 64 }),
  ],
  envelope: (message) => ({ id: 'a', name: 'bad_request', errors: [message] }),
};
