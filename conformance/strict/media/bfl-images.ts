import { asObject } from '../../shared/json.ts';
import type { Example, Rule, StrictUpstream } from '../rule.ts';
import { BFL_RESULT } from './image-answers.ts';
import { notTaken, oneOf } from './rules.ts';

const CHECKED = '2026-11-29';
const at = (url: string) => ({ url, checked: CHECKED });
const SHAPES = at(
  'https://help.bfl.ai/articles/1691577414-can-i-generate-different-aspect-ratios-compared-to-what-the-input-image-is',
);
const FLUX_2_PAGE = at('https://bfl.mintlify.app/api-reference/models/generate-or-edit-an-image-with-flux2-[flex]');
const FLUX_1_SCHEMA = at('https://github.com/comfyanonymous/ComfyUI');

const FLUX_2 = { label: 'FLUX.2', models: /^flux-2/ };
const FLUX_1 = { label: 'FLUX1.1 [pro]', models: /^flux-pro-1\.1$/ };
const BY_RATIO = { label: 'FLUX1.1 [pro] Ultra and Kontext', models: /ultra|kontext/ };
const ULTRA = { label: 'FLUX1.1 [pro] Ultra', models: /ultra/ };
const FILL = { label: 'FLUX.1 Fill', models: /fill/ };

function sides(
  id: string,
  { least, most, step, ...rule }: Pick<Rule, 'family' | 'source'> & { least: number; most: number; step: number },
): Rule {
  const isRight = (side: unknown) =>
    side === undefined || (Number(side) >= least && Number(side) <= most && Number(side) % step === 0);
  return {
    id,
    statement: `\`width\` and \`height\` must be at least ${least}${most === Number.POSITIVE_INFINITY ? '' : ` and at most ${most}`}${step === 1 ? '' : `, and multiples of ${step}`}.`,
    ...rule,
    refuses({ body }) {
      const wrong = ['width', 'height'].find((name) => !isRight(asObject(body)[name]));
      return wrong === undefined ? null : `${wrong}: Input should be greater than or equal to ${least}`;
    },
    examples: {
      refused: [{ body: { width: least - 1, height: 1_024 } }],
      accepted: [{ body: { width: 1_024, height: 1_024 } }],
    },
  };
}

const ratio: Rule = {
  id: 'aspect-ratios',
  statement: '`aspect_ratio` must be between `21:9` and `9:21`.',
  family: BY_RATIO,
  source: SHAPES,
  refuses({ body }) {
    const { aspect_ratio: asked = '1:1' } = asObject(body);
    const [width = 0, height = 0] = String(asked).split(':').map(Number);
    const isRight = width > 0 && height > 0 && Math.max(width / height, height / width) <= 21 / 9 + 1e-9;
    return isRight ? null : `aspect_ratio: must be between 21:9 and 9:21, not ${String(asked)}`;
  },
  examples: { refused: [{ body: { aspect_ratio: '3:1' } }], accepted: [{ body: { aspect_ratio: '9:21' } }] },
};

const filled = (body: object): Example => ({ model: 'flux-pro-1.0-fill', body: { ...body } });

const RULES: readonly Rule[] = [
  sides('flux-2-sides', { family: FLUX_2, source: FLUX_2_PAGE, least: 64, most: Number.POSITIVE_INFINITY, step: 1 }),
  sides('flux-1-sides', { family: FLUX_1, source: FLUX_1_SCHEMA, least: 256, most: 1_440, step: 32 }),
  ratio,
  oneOf({ member: 'output_format', values: ['jpeg', 'png'], source: FLUX_2_PAGE }),
  notTaken({
    ...{ member: 'image_prompt', value: 'aGVsbG8=', family: ULTRA },
    source: at('https://github.com/black-forest-labs/flux/issues/498'),
  }),
  {
    id: 'fill-needs-an-image',
    statement: '`image` is required.',
    family: FILL,
    source: FLUX_1_SCHEMA,
    refuses: ({ body }) => (typeof asObject(body).image === 'string' ? null : 'image: Field required'),
    examples: { refused: [filled({ image: undefined })], accepted: [filled({ image: 'aGVsbG8=' })] },
  },
];

export const bflImages: StrictUpstream = {
  name: 'bfl-images',
  label: 'Black Forest Labs, FLUX',
  provider: 'black-forest-labs',
  wire: 'bfl-images',
  models: [
    'flux-2-pro',
    'flux-2-klein-9b',
    'flux-kontext-pro',
    'flux-pro-1.1-ultra',
    'flux-pro-1.1',
    'flux-pro-1.0-fill',
  ],
  says: { '/get_result': BFL_RESULT },
  basic: { body: { image: 'aGVsbG8=' } },
  rules: RULES.map((rule) => ({ ...rule, status: 422 })),
  envelope: (message) => {
    const [member = '', msg = message] = message.split(': ');
    return { detail: [{ loc: ['body', member], msg, type: 'value_error' }] };
  },
};
