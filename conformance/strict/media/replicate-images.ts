import { asArray, asObject } from '../../shared/json.ts';
import type { Example, ReceivedRequest, Rule, StrictUpstream } from '../rule.ts';

/* Replicate checks the `input` of a prediction against the schema of its model. */

const CHECKED = '2026-11-29';
const version = (path: string) => ({ url: `https://replicate.com/${path}/api`, checked: CHECKED });
const FLUX_1_1_PAGE = version(
  'black-forest-labs/flux-1.1-pro/versions/96ccd0e758a1796926584ded2246369cdf8eb3d7c34475cf9c442be5e097d926',
);
const FLUX_2_PAGE = version(
  'black-forest-labs/flux-2-pro/versions/00b07c32e314ceb5152c1d08e73400e6a61d7d22ba60a405fc76314fc807910c',
);
const FLEX_PAGE = {
  url: 'https://cinemasetfree.com/guides/generators/black-forest-labs/flux-2-flex',
  checked: CHECKED,
};

const FLUX_1_1 = { label: 'FLUX1.1 [pro]', models: /flux-1\.1-pro$/ };
const FLUX_2_PRO = { label: 'FLUX.2 [pro]', models: /flux-2-pro/ };
const FLUX_2_FLEX = { label: 'FLUX.2 [flex]', models: /flux-2-flex/ };
const FLUX_2 = { label: 'FLUX.2 [pro] and [flex]', models: /flux-2-(?:pro|flex)/ };
const RATIOS = ['match_input_image', 'custom', '1:1', '16:9', '3:2', '2:3', '4:5', '5:4', '9:16', '3:4', '4:3'];

const inputOf = ({ body }: ReceivedRequest) => asObject(asObject(body).input);
const asking = (input: object): Example => ({ body: { input: { prompt: 'A cat.', ...input } } });

type About = Pick<Rule, 'id' | 'source'> & { readonly family: NonNullable<Rule['family']> };

function sides({ most, ...about }: About & { readonly most: number }): Rule {
  return {
    ...about,
    statement: `\`width\` and \`height\` must be at least 256 and at most ${most}.`,
    refuses(request) {
      const input = inputOf(request);
      const isWrong = (name: string) =>
        input[name] !== undefined && !(Number(input[name]) >= 256 && Number(input[name]) <= most);
      const wrong = ['width', 'height'].find(isWrong);
      return wrong === undefined ? null : `- input.${wrong}: Must be greater than or equal to 256 and at most ${most}`;
    },
    examples: {
      refused: [asking({ width: 128, height: 512 }), asking({ width: 512, height: most + 32 })],
      accepted: [asking({ aspect_ratio: 'custom', width: 512, height: most })],
    },
  };
}

function images({ most, ...about }: About & { readonly most: number }): Rule {
  const several = (length: number) => asking({ input_images: Array.from({ length }, () => 'https://a.example/a.png') });
  return {
    ...about,
    statement: `\`input_images\` must have at most ${most} images.`,
    refuses: (request) =>
      asArray(inputOf(request).input_images).length > most ? `- input.input_images: At most ${most} items` : null,
    examples: { refused: [several(most + 1)], accepted: [several(most)] },
  };
}

function values(member: string, known: readonly string[], about: Omit<About, 'id'>): Rule {
  return {
    ...about,
    id: `${member.replaceAll('_', '-')}-values`,
    statement: `\`${member}\` must be one of ${known.map((one) => `\`${one}\``).join(', ')}.`,
    refuses(request) {
      const { [member]: value } = inputOf(request);
      return value === undefined || known.includes(String(value))
        ? null
        : `- input.${member}: must be one of ${known.join(', ')}`;
    },
    examples: {
      refused: [asking({ [member]: 'jpeg' })],
      accepted: known.slice(0, 1).map((one) => asking({ [member]: one })),
    },
  };
}

export const replicateImages: StrictUpstream = {
  name: 'replicate-images',
  label: 'Replicate, images',
  provider: 'replicate',
  wire: 'replicate-images',
  models: ['black-forest-labs/flux-1.1-pro', 'black-forest-labs/flux-2-pro', 'black-forest-labs/flux-2-flex'],
  rules: [
    sides({ id: 'flux-1-1-sides', family: FLUX_1_1, source: FLUX_1_1_PAGE, most: 1_440 }),
    sides({ id: 'flux-2-sides', family: FLUX_2, source: FLUX_2_PAGE, most: 2_048 }),
    images({ id: 'flux-2-pro-images', family: FLUX_2_PRO, source: FLUX_2_PAGE, most: 8 }),
    images({ id: 'flux-2-flex-images', family: FLUX_2_FLEX, source: FLEX_PAGE, most: 10 }),
    values('aspect_ratio', RATIOS, { family: FLUX_2_FLEX, source: FLEX_PAGE }),
    values('output_format', ['webp', 'jpg', 'png'], { family: FLUX_2_FLEX, source: FLEX_PAGE }),
  ].map((rule): Rule => ({ ...rule, status: 422 })),
  envelope: (message) => ({ title: 'Input validation failed', detail: message, status: 422, invalid_fields: [] }),
};
