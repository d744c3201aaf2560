import {
  between,
  bodyProblem,
  type Check,
  isBase64,
  isFlag,
  isText,
  isWhole,
  listOf,
  objectOf,
  oneOf,
} from './body-problem.ts';

/* The requests that Google's `predictLongRunning` accepts for Veo 3.1, and the form of its operations. */

const IMAGE = objectOf({ bytesBase64Encoded: isBase64, mimeType: oneOf('image/png', 'image/jpeg') }, [
  ...['bytesBase64Encoded', 'mimeType'],
]);
const INSTANCE = objectOf({
  prompt: isText,
  image: IMAGE,
  lastFrame: IMAGE,
  referenceImages: listOf(objectOf({ image: IMAGE, referenceType: oneOf('asset') }, ['image', 'referenceType']), 3),
});
const PARAMETERS: Readonly<Record<string, Check>> = {
  sampleCount: between(1, 4),
  durationSeconds: oneOf(4, 6, 8),
  aspectRatio: oneOf('16:9', '9:16'),
  resolution: oneOf('720p', '1080p', '4k'),
  negativePrompt: isText,
  seed: isWhole,
  personGeneration: oneOf('allow_all', 'allow_adult', 'dont_allow'),
};

/** The Gemini API refuses `generateAudio`, and Vertex AI requires it. */
export function veoProblem(body: unknown, hasSound: boolean): string | null {
  const parameters = objectOf(hasSound ? { ...PARAMETERS, generateAudio: isFlag } : PARAMETERS, [
    ...(hasSound ? ['generateAudio'] : []),
  ]);
  return bodyProblem(body, { instances: listOf(INSTANCE, 1), parameters }, ['instances', 'parameters']);
}

export const VEO_STATES = {
  working: ['running'],
  completed: ['done'],
  failed: ['broken', 'filtered', 'invalid'],
};
export const VEO_REFUSED = ['filtered', 'invalid'];

const REASONS = ['The prompt could not be used, since it goes against the rules. Support codes: 58061214.'];

/** `made` is the finished video in this API's form; `wrapped` wraps the response as this API does. */
export function veoOperation(
  name: string,
  state: string,
  made: object,
  wrapped: (response: object) => object,
): Readonly<Record<string, unknown>> {
  switch (state) {
    case 'running':
      return { name, metadata: { '@type': 'type.googleapis.com/x.PredictLongRunningMetadata' } };
    case 'done':
      return { name, done: true, response: wrapped(made) };
    case 'filtered':
      return {
        ...{ name, done: true },
        response: wrapped({ raiMediaFilteredCount: 1, raiMediaFilteredReasons: REASONS }),
      };
    case 'invalid':
      return { name, done: true, error: { code: 3, message: 'The image could not be decoded.' } };
    default:
      return { name, done: true, error: { code: 13, message: 'Video generation failed. Try again.' } };
  }
}

export function googleError(status: number, message: string): Response {
  const word = status === 400 ? 'INVALID_ARGUMENT' : status === 404 ? 'NOT_FOUND' : 'UNAUTHENTICATED';
  return Response.json({ error: { code: status, message, status: word } }, { status });
}
