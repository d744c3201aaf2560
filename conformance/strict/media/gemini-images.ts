import { asObject } from '../../shared/json.ts';
import { knownMembers, seeds } from '../gemini/config.ts';
import { allParts, bodyOf } from '../gemini/reading.ts';
import type { Example, ReceivedRequest, Rule, StrictUpstream } from '../rule.ts';
import { imageOfText, inputKinds } from './input-images.ts';

const CHECKED = '2026-11-29';
const DOCUMENT = { url: 'specs/gemini-v1beta.openapi.json#ImageConfig', checked: CHECKED };
const REPORTED = { url: 'https://github.com/muyouzhi6/astrbot_plugin_gitee_aiimg/issues/37', checked: CHECKED };

const LONG_RATIOS = ['1:4', '4:1', '1:8', '8:1'];
const RATIOS = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'];
const WITH_LONG = {
  label: 'Gemini 3.1 Flash Image and Nano Banana 2',
  models: /gemini-3\.1-flash-image|nano-banana-2/,
};
const WITHOUT_LONG = { label: 'The other image models', models: /gemini-(?:2\.5-flash|3-pro|3\.1-flash-lite)-image/ };
const ONE_SIZE = { label: 'Gemini 2.5 Flash Image', models: /gemini-2\.5-flash-image/ };

const configOf = (request: ReceivedRequest) => asObject(asObject(bodyOf(request).generationConfig).imageConfig);

function shaped(imageConfig: object): Example {
  return { body: { generationConfig: { responseModalities: ['IMAGE'], imageConfig } } };
}

function ratios(id: string, family: Rule['family'], values: readonly string[]): Rule {
  return {
    id,
    statement: `\`imageConfig.aspectRatio\` must be one of ${values.map((value) => `\`${value}\``).join(', ')}.`,
    ...(family !== undefined && { family }),
    source: REPORTED,
    refuses(request) {
      const { aspectRatio } = configOf(request);
      if (aspectRatio === undefined || values.includes(String(aspectRatio))) return null;
      const listed = values.map((value) => `'${value}'`).join(', ');
      return `* GenerateContentRequest.generation_config.image_config.aspect_ratio: aspect_ratio must be one of ${listed}.`;
    },
    examples: { refused: [shaped({ aspectRatio: '7:3' })], accepted: [shaped({ aspectRatio: '21:9' })] },
  };
}

const sizes: Rule = {
  id: 'image-size-values',
  statement: '`imageConfig.imageSize` must be one of `1K`, `2K`, `4K`.',
  source: DOCUMENT,
  refuses(request) {
    const { imageSize } = configOf(request);
    if (imageSize === undefined || /^[124]K$/.test(String(imageSize))) return null;
    return `Invalid value at 'generation_config.image_config.image_size': ${String(imageSize)}`;
  },
  examples: {
    refused: [{ model: 'gemini-3-pro-image', ...shaped({ imageSize: '2k' }) }],
    accepted: [shaped({ imageSize: '1K' })],
  },
};

const oneSize: Rule = {
  id: 'image-size-of-2-5',
  statement: "`imageConfig.imageSize` must be at most `1K`, the model's only size.",
  family: ONE_SIZE,
  source: DOCUMENT,
  refuses(request) {
    const { imageSize } = configOf(request);
    return imageSize === undefined || imageSize === '1K' ? null : 'image_size is not supported for this model.';
  },
  examples: { refused: [shaped({ imageSize: '4K' })], accepted: [shaped({ imageSize: '1K' })] },
};

const MODELS = [
  'gemini-2.5-flash-image',
  'gemini-3-pro-image',
  'gemini-3.1-flash-lite-image',
  'gemini-nano-banana-2.1',
];

const kinds = inputKinds({
  kinds: ['png', 'jpeg', 'webp'],
  source: { url: 'https://github.com/microsoft/vscode/issues/286628', checked: CHECKED },
  imagesIn: (request) =>
    allParts(request).flatMap(({ part, path }) => imageOfText(path, asObject(part.inlineData).data)),
  withImage: (bytes) => ({
    body: {
      contents: [
        {
          role: 'user',
          parts: [{ text: 'A cat.' }, { inlineData: { mimeType: 'image/png', data: bytes.toString('base64') } }],
        },
      ],
    },
  }),
});

const RULES: readonly Rule[] = [
  seeds,
  ratios('aspect-ratios', WITHOUT_LONG, RATIOS),
  ratios('long-aspect-ratios', WITH_LONG, [...RATIOS, ...LONG_RATIOS]),
  sizes,
  oneSize,
  kinds,
];

const envelope = (message: string) => ({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } });

export const geminiImages: StrictUpstream = {
  name: 'gemini-images',
  label: 'Google, Gemini image models',
  provider: 'google',
  wire: 'gemini-images',
  models: MODELS,
  rules: [knownMembers(), ...RULES],
  envelope,
};

export const vertexGeminiImages: StrictUpstream = {
  ...geminiImages,
  name: 'vertex-gemini-images',
  label: 'Google Vertex AI, Gemini image models',
  provider: 'vertex',
  rules: [knownMembers('labels', 'modelArmorConfig'), ...RULES],
};

const IMAGEN_RATIOS = ['1:1', '3:4', '4:3', '9:16', '16:9'];
const parametersOf = ({ body }: ReceivedRequest) => asObject(asObject(body).parameters);
const asking = (parameters: object): Example => ({ body: { parameters: { sampleCount: 1, ...parameters } } });

/** Google's image models before Gemini's. Google has retired them; servers with this API have others. */
export const imagen: StrictUpstream = {
  name: 'imagen',
  label: 'Google, Imagen `predict`',
  provider: 'google',
  wire: 'imagen',
  models: ['imagen-4.0-generate-001'],
  rules: [
    {
      id: 'sample-count',
      statement: '`sampleCount` must be at least 1 and at most 4.',
      source: { url: 'https://docs.zenmux.ai/zh/api/vertexai/generate-images.html', checked: CHECKED },
      refuses(request) {
        const { sampleCount = 1 } = parametersOf(request);
        return Number(sampleCount) >= 1 && Number(sampleCount) <= 4 ? null : 'sampleCount must be between 1 and 4.';
      },
      examples: { refused: [asking({ sampleCount: 5 })], accepted: [asking({ sampleCount: 4 })] },
    },
    {
      id: 'aspect-ratios',
      statement: '`aspectRatio` must be one of `1:1`, `3:4`, `4:3`, `9:16`, `16:9`.',
      source: {
        url: 'https://cloud.google.com/vertex-ai/generative-ai/docs/image/configure-aspect-ratio',
        checked: CHECKED,
      },
      refuses(request) {
        const { aspectRatio = '1:1' } = parametersOf(request);
        return IMAGEN_RATIOS.includes(String(aspectRatio)) ? null : `Invalid aspect ratio ${String(aspectRatio)}.`;
      },
      examples: { refused: [asking({ aspectRatio: '21:9' })], accepted: [asking({ aspectRatio: '16:9' })] },
    },
    {
      id: 'mime-types',
      statement: '`outputOptions.mimeType` must be `image/png` or `image/jpeg`.',
      source: {
        url: 'https://docs.langchain4j.dev/apidocs/dev/langchain4j/model/vertexai/VertexAiImageModel.html',
        checked: CHECKED,
      },
      refuses(request) {
        const { mimeType = 'image/png' } = asObject(parametersOf(request).outputOptions);
        return /^image\/(?:png|jpeg)$/.test(String(mimeType))
          ? null
          : `Unsupported output MIME type ${String(mimeType)}.`;
      },
      examples: {
        refused: [asking({ outputOptions: { mimeType: 'image/webp' } })],
        accepted: [asking({ outputOptions: { mimeType: 'image/jpeg', compressionQuality: 80 } })],
      },
    },
  ],
  envelope,
};
